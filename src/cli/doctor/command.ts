/** `airlock doctor` */
import type { Command } from 'commander';
import { type Config, SETTINGS } from '../../config/settings/schema.js';
import type { ServerSetup } from '../../server/admin/context.js';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addDoctor(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('doctor')
    .description('check the certificate, ports, programs, store, clock and disk of this machine');
  // Every setting is checked; `serve` describes them.
  addConfigOptions(
    command,
    SETTINGS.map(({ key }) => key),
  ).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ doctor }, { loadStore, tryStore }, { isServing, callSocketAdmin }] = await Promise.all([
      import('./doctor.js'),
      import('../../server/admin/direct.js'),
      import('../admin/client.js'),
    ]);
    const running = async (config: Config) =>
      (await isServing(config)) ? ((await callSocketAdmin(config, 'server.setup', {})) as ServerSetup) : undefined;
    finish(await doctor(loaded, io, { running, loadStore, tryStore }));
  });
}
