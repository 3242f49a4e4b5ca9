/** The report as JSON: its form is docs/validate.schema.json, and changes only with `version`. */
import type { FileReport } from './report.js';

export const REPORT_VERSION = 1;

export function jsonReport(reports: readonly FileReport[], toolVersion: string): string {
  const count = (outcome: FileReport['outcome']) => reports.filter((report) => report.outcome === outcome).length;
  const summary = {
    files: reports.length,
    passed: count('pass'),
    with_warnings: count('warning'),
    with_errors: count('error'),
    unreadable: count('unreadable'),
  };
  const content = { version: REPORT_VERSION, tool: { name: 'airlock', version: toolVersion }, summary, files: reports };
  return `${JSON.stringify(content, null, 2)}\n`;
}
