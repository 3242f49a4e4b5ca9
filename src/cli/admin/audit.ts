/** `airlock audit` */
import { type Command, InvalidArgumentError } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { commandAdder, formatTable } from './action.js';

export function addAudit(program: Command, io: CliIo, finish: Finish): void {
  commandAdder(io, finish)(
    program,
    'audit',
    'list who changed tokens, rights and objects, newest first',
    (options) => ({
      action: 'audit.list',
      input: { since_ms: options.since, owner: options.owner },
      text: formatTable('lines', ['at_ms', 'action', 'who', 'from', 'target', 'owner'], 'No changes.'),
    }),
  )
    .optionsGroup('Options:')
    .option('--since <TIME>', 'only from this time on, such as 2030-01-31T18:00Z', (value) => {
      const ms = Date.parse(value);
      if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2030-01-31T18:00Z.');
      return ms;
    })
    .option('--owner <ID>', 'only this owner and its objects');
}
