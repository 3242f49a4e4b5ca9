/** `airlock serve` */
import type { Command } from 'commander';
import type { Finish } from '../console/commands.js';
import type { CliIo } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addServe(program: Command, io: CliIo, finish: Finish): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ serve }, { startApp }] = await Promise.all([import('./serve.js'), import('../../server/app.js')]);
    finish(await serve(loaded, io, startApp));
  });
}
