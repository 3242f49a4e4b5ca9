/** The exit code of a report. */
import { EXIT, type ExitCode } from '../console/exit.js';
import type { FailOn, FileReport } from './report.js';

/** A reason other than rules for which a file fails on request: `--profile`, `--require-judged`. */
interface Failure {
  /** Id as a rule of SARIF and a case of JUnit. */
  readonly id: 'PROFILE' | 'NOT_JUDGED';
  readonly title: string;
  readonly text: string;
}

export function failures({ profile, requirement }: FileReport): Failure[] {
  const found: Failure[] = [];
  if (requirement !== undefined && requirement.missing.length > 0)
    found.push({
      id: 'NOT_JUDGED',
      title: 'not judged',
      text: `too little media for ${requirement.missing.join(', ')}`,
    });
  if (profile?.met === false)
    found.push({ id: 'PROFILE', title: `profile ${profile.name}`, text: profile.differences.join('; ') });
  return found;
}

/** Whether the file passes: it meets the expectation if there is one, else it has no failing severity. */
export function isAccepted(report: FileReport, failOn: FailOn): boolean {
  if (report.outcome === 'unreadable') return false;
  if (failures(report).length > 0) return false;
  if (report.expectation !== undefined) return report.expectation.met;
  return report.outcome === 'pass' || (report.outcome === 'warning' && failOn === 'error');
}

export function exitCodeFor(reports: readonly FileReport[], failOn: FailOn): ExitCode {
  if (reports.some((report) => report.outcome === 'unreadable')) return EXIT.usage;
  return reports.every((report) => isAccepted(report, failOn)) ? EXIT.ok : EXIT.errorsFound;
}
