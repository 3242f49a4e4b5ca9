/** `airlock explain 6208`: one rule in full. */
import type { Command } from 'commander';
import { type Explanation, explained } from '../../check/explain.js';
import { CliError } from '../console/exit.js';
import { type CliIo, terminalOf } from '../console/io.js';
import { wrap } from '../console/text-table.js';

export function addExplain(program: Command, io: CliIo): void {
  program
    .command('explain <code>')
    .description('explain one error: what it means, when it is raised and cleared, what to change')
    .option('--spec <FILE>', 'with the bounds of this JSON file over the published ones')
    .action((code: string) => {
      const explanation = explained(code);
      if (explanation === undefined) throw new CliError(`${code} is not an error code (npx airlock spec lists them)`);
      io.stdout.write(text(explanation, terminalOf(io).columns));
    });
}

function text({ remedies, remedy, ...error }: Explanation, columns: number): string {
  const rows: [string, string][] = [
    ['Meaning', `${error.title}.`],
    ['Severity', error.severity],
    ['Clause', error.clause],
    ['Raised', error.raisedWhen],
    ['Delay', error.delay],
    ['Cleared', error.cleared],
    ['Judged by', error.judgedBy],
    ['Text', error.sentence],
  ];
  const changes: [string, string][] = [['any encoder', remedy], ...Object.entries(remedies)];
  const width = Math.max(...[...rows, ...changes].map(([name]) => name.length));
  const line = ([name, value]: readonly [string, string]): string => {
    const lines = wrap(value, columns - width - 4);
    return lines.map((part, at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${part}`).join('\n');
  };
  const title = `${error.code} ${error.type}`;
  return `${[title, '', ...rows.map(line), '', 'What to change:', ...changes.map(line)].join('\n')}\n`;
}
