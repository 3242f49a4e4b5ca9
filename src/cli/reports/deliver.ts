/** Where a report goes: to standard output, or into a file. */
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError } from '../console/exit.js';
import { type CliIo, terminalOf } from '../console/io.js';
import { toolVersion } from '../console/version.js';
import { formatReport, type ReportFormat } from './format.js';
import type { FileReport } from './report.js';
import type { FailOn } from './summary.js';

export interface ReportOptions {
  readonly format: ReportFormat;
  readonly failOn: FailOn;
  readonly output?: string;
}

/** Before hours of work: whether the report can be written in the end. @throws CliError */
export function checkOutput({ output }: ReportOptions, io: CliIo): void {
  if (output === undefined) return;
  const path = resolve(io.cwd, output);
  const problem = (why: string) => new CliError(`the report cannot be written to ${output}: ${why}`);
  if (!existsSync(dirname(path))) throw problem('there is no such folder');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw problem('it is a folder');
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch {
    throw problem('it may not be written by this user');
  }
}

export function deliverReport(reports: readonly FileReport[], options: ReportOptions, io: CliIo): void {
  const { format, failOn, output } = options;
  const style = { format, failOn, toolVersion: toolVersion(), ...(output === undefined ? terminalOf(io) : {}) };
  const text = formatReport(reports, style);
  if (output === undefined) io.stdout.write(text);
  else writeFileSync(resolve(io.cwd, output), text);
}
