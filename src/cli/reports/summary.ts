/** What a run over several files comes to. */
import { EXIT, type ExitCode } from '../console/exit.js';
import type { Expectation, ExpectationResult, FileReport } from './report.js';

export type FailOn = 'error' | 'warning';

/** Codes against what was expected: no fewer and no more. */
export function compareCodes(
  given: readonly number[],
  expected: Expectation,
  ignored: ReadonlySet<number>,
): ExpectationResult {
  const have = new Set(given.filter((code) => !ignored.has(code)));
  const want = new Set(expected.codes.filter((code) => !ignored.has(code)));
  const missing = [...want].filter((code) => !have.has(code)).sort((a, b) => a - b);
  const unexpected = [...have].filter((code) => !want.has(code)).sort((a, b) => a - b);
  return { met: missing.length === 0 && unexpected.length === 0, missing, unexpected };
}

/** Whether the file is as it should be: as expected where something is expected, else without errors. */
export function isAccepted(report: FileReport, failOn: FailOn): boolean {
  if (report.outcome === 'unreadable') return false;
  if (report.expectation !== undefined) return report.expectation.met;
  return report.outcome === 'pass' || (report.outcome === 'warning' && failOn === 'error');
}

export function exitCodeFor(reports: readonly FileReport[], failOn: FailOn): ExitCode {
  if (reports.some((report) => report.outcome === 'unreadable')) return EXIT.usage;
  return reports.every((report) => isAccepted(report, failOn)) ? EXIT.ok : EXIT.errorsFound;
}
