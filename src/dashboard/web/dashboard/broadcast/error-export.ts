/** Exports the error log as CSV or JSON. Pure. */
import type { ErrorView } from '../../../../spec/error-view.js';

const COLUMNS = [
  'sequence',
  'timestamp',
  'cleared_time',
  'severity',
  'error_code',
  'error_type',
  'count',
  'open_ms',
  'stream_time_ms',
  'observed',
  'worst',
  'limit',
  'unit',
  'description',
  'remediation',
  'clause',
  'source',
  'address',
  'encoder',
  'broadcast_id',
  'video_id',
  'id',
] as const satisfies readonly (keyof ErrorView)[];

/** RFC 4180. Text that a spreadsheet would read as a formula is prefixed with an apostrophe. */
export function errorsAsCsv(records: readonly ErrorView[]): string {
  const lines = records.map((record) => COLUMNS.map((column) => cell(record[column])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function errorsAsJson(records: readonly ErrorView[]): string {
  return `${JSON.stringify(records, null, 2)}\n`;
}
