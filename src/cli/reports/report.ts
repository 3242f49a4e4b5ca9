/** The report of a command on a file. Plain data; its JSON form is described in docs/validate.md. */
import type { FileResult, StreamHealth } from '../../check/file-report.js';
import { EXIT, type ExitCode } from '../console/exit.js';
import type { ExpectationResult } from './expectation.js';

export interface FileReport extends FileResult {
  /** Replay only: the stream was accepted and published as far as intended. */
  readonly published?: boolean;
  readonly stream?: StreamHealth & {
    /** Only with `--loudness full`. */
    readonly loudnessRangeLu?: number;
    readonly truePeakDbtp?: number;
  };
  readonly expectation?: ExpectationResult;
  /** With `--require-judged`. */
  readonly requirement?: { readonly missing: readonly number[] };
  /** Codes in the baseline: they do not fail the file. */
  readonly known?: readonly number[];
}

/** Notes (or their beginning) of a replay that ended before its recording. */
export const DROPPED = 'connection dropped as requested';
export const STOPPED = 'stopped after';

/** The lowest severity that fails a run. */
export type FailOn = 'error' | 'warning';

/** The values of `--fail-on`: a requirement raises errors, a recommendation warnings. */
export const FAIL_ON = { error: 'error', warning: 'warning', required: 'error', recommended: 'warning' } as const;

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
