/** The report as text, a line for each finding: `recording.flv:0:04.1  error  6208  …`, with the remedy below. */

import type { FileRecord } from '../../check/file-report.js';
import { visible } from '../../lib/visible.js';
import { catalogueEntry } from '../../rules/registry/catalogue.js';
import { wrap } from '../console/text-table.js';
import { comparison } from './expectation.js';
import { doubts } from './not-judged.js';
import type { FileReport } from './report.js';
import { failures } from './report.js';
import { colorize, headline, sum, type TextStyle } from './text.js';

const INDENT = 4;

export function findingsReport(reports: readonly FileReport[], style: TextStyle = {}): string {
  const lines = reports.flatMap(linesOf).map(visible);
  const wrapped = lines.flatMap((line) => hanging(line, style.columns));
  const gap = lines.length === 0 ? [] : [''];
  const text = `${[...wrapped, ...gap, ...wrap(sum(reports, style.failOn), style.columns ?? 1000)].join('\n')}\n`;
  return style.color === true ? colorize(text) : text;
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
  const line = `${file}:${shortTime(record.stream_time_ms)}  ${record.severity}  ${record.error_code}  ${sentence}${times}`;
  return remediation === '' ? [line] : [line, `${' '.repeat(INDENT)}${remediation}`];
}

/** `0:04.1`, `1:02:03.4` */
function shortTime(ms: number): string {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}.${tenths % 10}`;
}

/** Wraps a line; the lines after the first are indented. */
function hanging(line: string, columns: number | undefined): string[] {
  if (columns === undefined || line.length <= columns) return [line];
  const [first = '', ...rest] = wrap(line, columns);
  const others = rest.map((text) => text.trim()).join(' ');
  return others === '' ? [first] : [first, ...wrap(`${' '.repeat(INDENT)}${others}`, columns)];
}
