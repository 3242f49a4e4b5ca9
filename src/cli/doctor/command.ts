/** `airlock doctor` */
import type { Command } from 'commander';
import { addConfigOptions, loadCommandConfig } from '../config-options.js';
import type { ExitCode } from '../exit.js';
import type { CliIo } from '../io.js';

export function addDoctor(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program
    .command('doctor')
    .description('check certificate, ports, programs, store, clock and disk of this machine');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ doctor }, { tryStore }, { isServing }] = await Promise.all([
      import('./doctor.js'),
      import('../../server/admin/direct.js'),
      import('../admin/client.js'),
    ]);
    finish(await doctor(loaded, io, { isServing, tryStore }));
  });
}
