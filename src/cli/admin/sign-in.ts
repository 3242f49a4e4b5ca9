/** `airlock sign-in`: a one-time link to the dashboard of the running server. */

import { type Command, Option } from 'commander';
import { defined } from '../../lib/objects.js';
import { visible, visibleJson } from '../../lib/visible.js';
import type { Finish } from '../console/commands.js';
import { EXIT } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { callServer } from './client.js';

interface Link {
  readonly sign_in_url: string;
  readonly owner_id: string;
  readonly owner_name: string;
  readonly expires_ms: number;
}

export function addSignIn(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('sign-in [owner-id]')
    .description(
      'print a link that signs in to the dashboard of the running server, once; default: the quickstart user',
    )
    .option('--operator-read', 'also all broadcasts and the state of the server (implied without an OWNER-ID)')
    .addOption(new Option('--format <FORMAT>', 'output format').choices(['text', 'json']).default('text'));
  addConfigOptions(command, ['dataDir']).action(async () => {
    const [owner] = command.processedArgs as [string | undefined];
    const { operatorRead, format } = command.opts<{ operatorRead?: true; format: string }>();
    const { config } = loadCommandConfig(command, io);
    const input = defined({ owner, operator_read: operatorRead });
    const link = (await callServer(config, 'sign-in.link', input)) as Link;
    printLine(io.stdout, format === 'json' ? visibleJson(JSON.stringify(link, null, 2)) : asText(link));
    finish(EXIT.ok);
  });
}

function asText({ sign_in_url, owner_id, owner_name, expires_ms }: Link): string {
  const until = new Date(expires_ms).toISOString();
  return `${sign_in_url}\nSigns in as ${visible(owner_name)} (${owner_id}), once, until ${until}.`;
}
