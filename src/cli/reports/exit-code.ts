/** The exit code of a report. */
import { EXIT, type ExitCode } from '../console/exit.js';
import { failures } from './failures.js';
import type { FailOn, FileReport } from './report.js';

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
