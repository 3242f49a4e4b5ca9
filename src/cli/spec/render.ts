/** `airlock spec`: the specification as text, JSON or Markdown. */
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { CONDITIONS } from '../../spec/in-force.js';
import { LIVE } from '../../spec/live.js';
import { ELIGIBILITY, SUBCODES } from '../../spec/service-errors.js';
import { TOLERANCES } from '../../spec/tolerances.js';
import { UPLOAD } from '../../spec/upload.js';
import { textTable } from '../console/text-table.js';
import { specTables, type Table } from './tables.js';

export const SPEC_FORMATS = ['text', 'json', 'markdown'] as const;
export type SpecFormat = (typeof SPEC_FORMATS)[number];

export function renderSpec(format: SpecFormat, columns = 120): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(wholeSpec(), null, 2)}\n`;
    case 'markdown':
      return `${specTables().map(markdown).join('\n\n')}\n`;
    case 'text':
      return `${specTables()
        .map((table) => `${table.title}\n\n${textTable(table.columns, table.rows, columns)}`)
        .join('\n\n')}\n`;
  }
}

/** A file of bounds that changes nothing (docs/house-spec.md); errors and refusals are in it to be read. */
function wholeSpec() {
  return {
    live: LIVE,
    upload: UPLOAD,
    ...(CONDITIONS.length === 0 ? {} : { conditions: CONDITIONS }),
    // Without the fields that only our own reports and pages use.
    errors: CATALOGUE.map(({ passes, row, counts, perTrack, explains, bounds, ...shown }) => shown),
    subcodes: SUBCODES,
    eligibility: ELIGIBILITY,
    tolerances: TOLERANCES,
  };
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
