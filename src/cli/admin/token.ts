/** `airlock token` */
import type { Command } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { commandAdder, count, formatObject, formatTable } from './action.js';

export function addTokenCommands(program: Command, io: CliIo, finish: Finish): void {
  const token = program.command('token').description('access tokens');
  const add = commandAdder(io, finish);
  add(token, 'issue <owner-id>', 'issue an access token; it is shown only once', (options, owner = '') => ({
    action: 'token.issue',
    input: { owner, scopes: options.scopes, days: options.days, label: options.label },
    text: formatObject,
  }))
    .optionsGroup('Options:')
    .requiredOption('--scopes <SCOPE,…>', 'allowed scopes; all: every scope of an owner', (value) =>
      value.split(',').map((scope) => scope.trim()),
    )
    .option('--days <DAYS>', 'days until it expires (90)', count)
    .option('--label <TEXT>', 'purpose of the token');
  add(token, 'list', 'list all tokens, newest first', () => ({
    action: 'token.list',
    input: {},
    text: formatTable(
      'tokens',
      ['id', 'parent_id', 'owner_id', 'state', 'scopes', 'created_ms', 'expires_ms', 'last_used_ms', 'label'],
      'No tokens. Issue one: npx airlock token issue OWNER-ID --scopes all',
    ),
  }));
  add(token, 'revoke <id-or-token>', 'revoke a token immediately', (_options, id = '') => ({
    action: 'token.revoke',
    input: { token: id },
    text: () => 'revoked',
  }));
}
