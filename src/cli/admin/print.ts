/** Answers of administration for a person: one object as lines, a list as a table. `--format json` prints them as they are. */
import { textTable } from '../console/text-table.js';

type Row = Readonly<Record<string, unknown>>;

export function printObject(row: Row): string {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${show(name, value)}`).join('\n');
}

export function printTable(rows: readonly Row[], columns: readonly string[], none: string, width?: number): string {
  if (rows.length === 0) return none;
  return textTable(
    columns,
    rows.map((row) => columns.map((column) => show(column, row[column]))),
    width,
  );
}

function show(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (name.endsWith('_ms') && typeof value === 'number' && value > 1e12)
    return new Date(value).toISOString().slice(0, 19);
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
