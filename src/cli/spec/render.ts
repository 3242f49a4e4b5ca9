/** `airlock spec`: the specification as text, JSON or Markdown. */
import { SPEC } from '../../check/spec-document.js';
import { textTable, UNWRAPPED } from '../console/text-table.js';
import { specTables, type Table } from './tables.js';

export const SPEC_FORMATS = ['text', 'json', 'markdown'] as const;
export type SpecFormat = (typeof SPEC_FORMATS)[number];

export function renderSpec(format: SpecFormat, columns = UNWRAPPED): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(SPEC, null, 2)}\n`;
    case 'markdown':
      return `${specTables().map(markdown).join('\n\n')}\n`;
    case 'text':
      return `${specTables()
        .map((table) => `${table.title}\n\n${textTable(table.columns, table.rows, columns)}`)
        .join('\n\n')}\n`;
  }
}

function markdown(table: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    `## ${table.title}`,
    '',
    line(table.columns),
    line(table.columns.map(() => '---')),
    ...table.rows.map(line),
  ].join('\n');
}
