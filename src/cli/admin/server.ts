/** `airlock drain` and `airlock reload`: orders to the running server. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../../config/settings/schema.js';
import type { ServerState } from '../../server/supervisor/messages.js';
import type { Finish } from '../console/commands.js';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';
import { callServer } from './client.js';

const POLL_MS = 250;
/** The web process is replaced too: until its successor listens, a connection is refused. */
const AWAY_MS = 15_000;

export function addDrain(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('drain')
    .description('close the ports of streams and let the publishers move to another server')
    .option('--wait', 'return when no publisher is left');
  addConfigOptions(command, ['dataDir']).action(async () => {
    const { config } = loadCommandConfig(command, io);
    const { drainS } = await order(config, 'server.drain');
    printLine(io.stdout, 'Draining: the ports of streams are closed, and no new publish is accepted.');
    printLine(
      io.stdout,
      `Encoders that can are asked to reconnect; the others are disconnected in ${drainS} s. Stop the server after that.`,
    );
    if (command.opts<{ wait?: true }>().wait === true) {
      await until(config, ({ drain }) => drain === 'done');
      printLine(io.stdout, 'No publisher is left.');
    }
    finish(EXIT.ok);
  });
}

export function addReload(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('reload')
    .description('replace the processes of the running server by those of the installed version; its ports stay open');
  addConfigOptions(command, ['dataDir']).action(async () => {
    const { config } = loadCommandConfig(command, io);
    const { drainS, reload } = await order(config, 'server.reload');
    printLine(io.stdout, `Reloading. Encoders have ${drainS} s to reconnect; the ports stay open.`);
    finish(await followReload(config, io, reload));
  });
}

async function followReload(config: Config, io: CliIo, first: ServerState['reload']): Promise<ExitCode> {
  let shown = 0;
  const show = ({ replaced }: ServerState['reload']): void => {
    for (const role of replaced.slice(shown)) printLine(io.stdout, `replaced  ${role}`);
    shown = replaced.length;
  };
  show(first);
  const { reload } = await until(config, (state) => {
    show(state.reload);
    return state.reload.state !== 'running';
  });
  if (reload.state === 'done') {
    printLine(io.stdout, 'All processes run the installed version, except the supervisor.');
    return EXIT.ok;
  }
  throw new CliError(
    `the reload has stopped: ${reload.reason ?? 'the server was restarted'}; processes that are not named above were not replaced`,
    EXIT.errorsFound,
  );
}

async function until(config: Config, isReached: (state: ServerState) => boolean): Promise<ServerState> {
  let answeredAtMs = performance.now();
  for (;;) {
    const state = await order(config, 'server.state').catch((error: unknown) => {
      if (performance.now() - answeredAtMs > AWAY_MS) throw error;
      return undefined;
    });
    if (state !== undefined) {
      if (isReached(state)) return state;
      answeredAtMs = performance.now();
    }
    await delay(POLL_MS);
  }
}

async function order(config: Config, action: string): Promise<ServerState> {
  return (await callServer(config, action, {})) as ServerState;
}
