/** `airlock serve` */
import type { Command } from 'commander';
import { addConfigOptions, loadCommandConfig } from './config-options.js';
import type { ExitCode } from './exit.js';
import type { CliIo } from './io.js';

export function addServe(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ serve }, { startApp }] = await Promise.all([import('./serve.js'), import('../server/app.js')]);
    finish(await serve(loaded, io, startApp));
  });
}
