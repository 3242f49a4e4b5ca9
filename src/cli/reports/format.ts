/** One report, four forms. */

import { jsonReport } from './json.js';
import { junitReport } from './junit.js';
import type { FileReport } from './report.js';
import { sarifReport } from './sarif.js';
import type { FailOn } from './summary.js';
import { textReport } from './text.js';

export const REPORT_FORMATS = ['text', 'json', 'junit', 'sarif'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportStyle {
  readonly format: ReportFormat;
  readonly failOn: FailOn;
  readonly toolVersion: string;
  /** Of the terminal that shows it. */
  readonly columns?: number;
  readonly colour?: boolean;
}

export function formatReport(reports: readonly FileReport[], style: ReportStyle): string {
  switch (style.format) {
    case 'text':
      return textReport(reports, style);
    case 'json':
      return jsonReport(reports, style.toolVersion);
    case 'junit':
      return junitReport(reports, style.failOn);
    case 'sarif':
      return sarifReport(reports, style.toolVersion);
  }
}
