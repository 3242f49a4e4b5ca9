/** Formats a report and writes it to standard output or to a file. */

import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined } from '../../lib/objects.js';
import { visibleJson } from '../../lib/visible.js';
import { toolVersion } from '../console/commands.js';
import { CliError, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine, terminalOf } from '../console/io.js';
import { hanging } from '../console/text-table.js';
import { findingsReport, watchedFindings } from './findings.js';
import { githubReport } from './github.js';
import { junitReport } from './junit.js';
import type { FailOn, FileReport } from './report.js';
import { isAccepted } from './report.js';
import { sarifReport } from './sarif.js';
import { sum, textReport } from './text.js';

export const REPORT_FORMATS = ['text', 'json', 'junit', 'sarif', 'github'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportOptions {
  readonly format: ReportFormat;
  readonly failOn: FailOn;
  readonly output?: string;
  /** Text only: a line for each finding, or a table of the rules. Default: the table. */
  readonly layout?: 'findings' | 'table';
  /** Text only: what the summary names. Default: that of the reports. */
  readonly exitCode?: ExitCode;
}

/** Checks before the run that the report can be written. @throws CliError */
export function checkOutput({ output }: Pick<ReportOptions, 'output'>, io: CliIo): void {
  if (output === undefined) return;
  const path = resolve(io.cwd, output);
  const problem = (why: string) => new CliError(`cannot write the report to ${output}: ${why}`);
  if (!existsSync(dirname(path))) throw problem('no such folder');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw problem('is a folder');
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch {
    throw problem('permission denied');
  }
}

export function deliverReport(reports: readonly FileReport[], options: ReportOptions, io: CliIo): void {
  const { format, failOn, output, exitCode } = options;
  const layout = options.layout ?? 'table';
  const style = {
    format,
    failOn,
    layout,
    toolVersion: toolVersion(),
    ...defined({ exitCode }),
    ...(output === undefined ? terminalOf(io) : {}),
  };
  const text = formatReport(reports, style);
  if (output === undefined) io.stdout.write(text);
  else writeFileSync(resolve(io.cwd, output), text);
}

/** For `--watch`: the report on one file, and the summary at the end. */
export function deliverWatched(report: FileReport, { layout, failOn }: ReportOptions, io: CliIo): void {
  const style = { failOn, ...terminalOf(io) };
  io.stdout.write(layout === 'findings' ? watchedFindings(report, style) : textReport([report], style));
}

export function deliverSum(reports: readonly FileReport[], { failOn }: ReportOptions, io: CliIo): void {
  for (const line of hanging(sum(reports, { failOn }), terminalOf(io).columns)) printLine(io.stdout, line);
}

interface ReportStyle {
  readonly format: ReportFormat;
  readonly failOn: FailOn;
  readonly layout: 'findings' | 'table';
  readonly toolVersion: string;
  readonly exitCode?: ExitCode;
  /** Width of the terminal. */
  readonly columns?: number;
  readonly color?: boolean;
}

function formatReport(reports: readonly FileReport[], style: ReportStyle): string {
  switch (style.format) {
    case 'text':
      return style.layout === 'findings' ? findingsReport(reports, style) : textReport(reports, style);
    case 'json':
      return jsonReport(reports, style);
    case 'junit':
      return junitReport(reports, style.failOn);
    case 'sarif':
      return sarifReport(reports, style.toolVersion);
    case 'github':
      return githubReport(reports);
  }
}

/** Version of docs/validate.schema.json, which describes the format. */
const REPORT_VERSION = 1;

function jsonReport(reports: readonly FileReport[], { toolVersion, failOn }: ReportStyle): string {
  const count = (outcome: FileReport['outcome']) => reports.filter((report) => report.outcome === outcome).length;
  const summary = {
    files: reports.length,
    passed: reports.filter((report) => report.outcome === 'pass' && isAccepted(report, failOn)).length,
    with_warnings: count('warning'),
    with_errors: count('error'),
    unreadable: count('unreadable'),
    failed: reports.filter((report) => !isAccepted(report, failOn)).length,
  };
  const content = { version: REPORT_VERSION, tool: { name: 'airlock', version: toolVersion }, summary, files: reports };
  return `${visibleJson(JSON.stringify(content, null, 2))}\n`;
}
