/** The report as workflow commands of GitHub Actions, which appear as annotations of a pull request. */

import type { FileRecord } from '../../check/file-report.js';
import { visibleLines } from '../../lib/visible.js';
import { streamTime } from '../console/text-table.js';
import { comparison } from './expectation.js';
import type { FileReport } from './report.js';
import { failures } from './report.js';

const LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const;

export function githubReport(reports: readonly FileReport[]): string {
  return reports.flatMap(linesOf).join('');
}

function linesOf(report: FileReport): string[] {
  const known = new Set(report.known);
  const { problem, published, notes, expectation } = report;
  const file = report.file === '-' ? 'stdin' : report.file;
  const other = (title: string, message: string) => command('error', file, title, message);
  return [
    ...(problem === undefined ? [] : [other('unreadable', problem)]),
    ...(published === false ? [other('not published', notes.at(-1) ?? '')] : []),
    ...report.errors.filter(({ error_code: code }) => !known.has(code)).map((record) => annotation(file, record)),
    ...(expectation === undefined || expectation.met ? [] : [other('expected errors', comparison(expectation))]),
    ...failures(report).map(({ title, text }) => other(title, text)),
  ];
}

function annotation(file: string, record: FileRecord): string {
  const title = `${record.error_code} ${record.error_type}`;
  return command(
    LEVELS[record.severity],
    file,
    title,
    `${streamTime(record.stream_time_ms)}: ${record.description.replace(`[${title}] `, '')}`,
  );
}

function command(level: string, file: string, title: string, message: string): string {
  return `::${level} file=${property(file)},line=1,title=${property(title)}::${data(message)}\n`;
}

/** The escapes that GitHub's runner undoes. It prints the text in its log and shows it on pages. */
function data(text: string): string {
  return visibleLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
