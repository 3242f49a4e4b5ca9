/** `airlock explain 6208`: one rule in full. */
import type { Command } from 'commander';
import type { CatalogueEntry, Clearing } from '../../rules/catalogue-entry.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { FAMILY_REMEDIES, remedyFor } from '../../rules/remedies/remedy.js';
import { CliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { wrap } from '../console/text-table.js';

const DEFAULT_COLUMNS = 100;

export function addExplain(program: Command, io: CliIo): void {
  program
    .command('explain <code>')
    .description('explain one error: what it means, when it is raised and cleared, what to change')
    .option('--spec <FILE>', 'with the bounds of this JSON file over the published ones')
    .action((code: string) => {
      io.stdout.write(explanation(entryOf(code), io.stdout.columns || DEFAULT_COLUMNS));
    });
}

/** By code (`6208`) or type (`KEY_FRAME_INTERVAL_TOO_LONG`). */
function entryOf(code: string): CatalogueEntry {
  const entry = CATALOGUE.find((row) => String(row.code) === code || row.type === code.toUpperCase());
  if (entry === undefined) throw new CliError(`${code} is not an error code (airlock spec lists them)`);
  return entry;
}

function explanation(entry: CatalogueEntry, columns: number): string {
  const { code, type, title, severity, clause, raisedWhen, judgedBy, sentence } = entry;
  const families = [...FAMILY_REMEDIES].flatMap(([family, table]): [string, string][] => {
    const text = table[code];
    return text === undefined ? [] : [[family, text]];
  });
  const rows: [string, string][] = [
    ['Meaning', `${title}.`],
    ['Severity', severity],
    ['Clause', clause],
    ['Raised', raisedWhen],
    ['Delay', delay(entry)],
    ['Cleared', cleared(entry.clears, judgedBy === 'file')],
    ['Judged by', judgedBy],
    ['Text', sentence],
  ];
  const width = Math.max(...[...rows, ...families].map(([name]) => name.length), 'any encoder'.length);
  const line = ([name, text]: readonly [string, string]): string => {
    const lines = wrap(text, columns - width - 4);
    return lines.map((part, at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${part}`).join('\n');
  };
  const remedies: [string, string][] = [['any encoder', remedyFor(code)], ...families];
  return `${[`${code} ${type}`, '', ...rows.map(line), '', 'What to change:', ...remedies.map(line)].join('\n')}\n`;
}

export function delay({ delay: { ms, text } }: CatalogueEntry): string {
  return ms === 0 ? `None: ${text}.` : `At most ${ms.toLocaleString('en-US')} ms ${text}.`;
}

export function cleared(clears: Clearing, isFile: boolean): string {
  switch (clears.how) {
    case 'header':
      return 'At the next conforming header.';
    case 'key-frames':
      if (clears.times === 1) return 'At the next conforming key frame.';
      return `After ${clears.times} consecutive conforming key frames.`;
    case 'window':
      return clears.insideMs === 0 ? 'Once inside the bound.' : `After ${clears.insideMs / 1000} s inside the bound.`;
    case 'flow':
      return `After the track has flowed for ${clears.flowsMs / 1000} s.`;
    case 'settings':
      return 'When the first settings return.';
    case 'connection':
      return 'When the connection ends.';
    case 'point':
      if (isFile) return 'Never: a file does not change.';
      return ['A point in time: cleared as it is raised.', clears.except].join(' ').trim();
    default: {
      const missing: never = clears;
      return missing;
    }
  }
}
