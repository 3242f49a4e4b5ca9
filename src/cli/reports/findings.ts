/** The report as text, a line for each finding: `recording.flv:0:00:04.050  error  6208  …`, with the remedy below. */

import type { FileRecord } from '../../check/file-report.js';
import { visible } from '../../lib/visible.js';
import { catalogueEntry } from '../../rules/registry/catalogue.js';
import { hanging, streamTime, UNWRAPPED } from '../console/text-table.js';
import { comparison } from './expectation.js';
import { doubts } from './not-judged.js';
import type { FileReport } from './report.js';
import { failures } from './report.js';
import { colorize, headline, sum, type TextStyle } from './text.js';

const INDENT = 4;

export function findingsReport(reports: readonly FileReport[], style: TextStyle = {}): string {
  const lines = reports.flatMap(linesOf);
  return shown([...lines, ...(lines.length === 0 ? [] : ['']), sum(reports, style)], style);
}

function shown(lines: readonly string[], { columns = UNWRAPPED, color }: TextStyle): string {
  const text = `${lines.flatMap((line) => hanging(visible(line), columns)).join('\n')}\n`;
  return color === true ? colorize(text) : text;
}

/** For files that are judged one after the other without an end: a line for each finding, or for a file without one. */
export function watchedFindings(report: FileReport, style: TextStyle): string {
  const found = linesOf(report);
  const lines = found.length > 0 ? found : [`${nameOf(report.file)}: ${headline(report)}`];
  return shown(lines, style);
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function linesOf(report: FileReport): string[] {
  const { problem, notes, expectation } = report;
  const file = nameOf(report.file);
  const known = new Set(report.known);
  const doubted = doubts(report).map((row) => `${row.code} ${catalogueEntry(row.code).passes}`);
  return [
    ...(doubted.length === 0 ? [] : [`${file}: not judged (too little media): ${doubted.join(', ')}`]),
    ...(problem === undefined ? [] : [`${file}: ${headline(report)}`]),
    ...report.errors.filter(({ error_code: code }) => !known.has(code)).flatMap((record) => finding(file, record)),
    ...failures(report)
      .filter(({ id }) => id !== 'NOT_JUDGED' || doubted.length === 0)
      .map(({ title, text }) => `${file}: ${title}: ${text}`),
    ...(known.size === 0 ? [] : [`${file}: known: ${[...known].join(', ')}`]),
    ...(expectation === undefined || expectation.met ? [] : [`${file}: expected errors: ${comparison(expectation)}`]),
    ...notes.map((note) => `${file}: note: ${note}`),
  ];
}

function finding(file: string, record: FileRecord): string[] {
  const times = record.count > 1 ? ` (${record.count} times)` : '';
  const { description, remediation } = record;
  const label = `[${record.error_code} ${record.error_type}] `;
  const text = description.replace(label, '');
  const hasRemedy = remediation !== '' && text.endsWith(remediation);
  const sentence = hasRemedy ? text.slice(0, -remediation.length).trimEnd() : text;
  const line = `${file}:${streamTime(record.stream_time_ms)}  ${record.severity}  ${record.error_code}  ${sentence}${times}`;
  return remediation === '' ? [line] : [line, `${' '.repeat(INDENT)}${remediation}`];
}
