/** `airlock token` and `airlock webhook-secret` */
import type { Command } from 'commander';
import { loadServerKey, webhookSecret } from '../../config/key-secret.js';
import type { Finish } from '../console/commands.js';
import { EXIT } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
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
      'No tokens. Issue one: airlock token issue OWNER-ID --scopes all',
    ),
  }));
  add(token, 'revoke <id-or-token>', 'revoke a token immediately', (_options, id = '') => ({
    action: 'token.revoke',
    input: { token: id },
    text: () => 'revoked',
  }));
}

export function addWebhookSecret(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('webhook-secret')
    .description('print the signing key of the webhook (X-Hub-Signature-256)');
  addConfigOptions(command, ['dataDir', 'keySecret']).action(() => {
    const { config } = loadCommandConfig(command, io);
    printLine(io.stdout, webhookSecret(loadServerKey(config)));
    finish(EXIT.ok);
  });
}
