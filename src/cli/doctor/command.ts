/** `airlock doctor` */
import type { Command } from 'commander';
import { SETTINGS } from '../../config/settings/schema.js';
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
    const [{ doctor }, { loadStore, tryStore }, { isServing }] = await Promise.all([
      import('./doctor.js'),
      import('../../server/admin/direct.js'),
      import('../admin/client.js'),
    ]);
    finish(await doctor(loaded, io, { isServing, loadStore, tryStore }));
  });
}
