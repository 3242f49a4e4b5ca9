/** `airlock serve` */
import type { Command } from 'commander';
import type { ExitCode } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addServe(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ serve }, { startServer }] = await Promise.all([import('./serve.js'), import('../../server/serve.js')]);
    const script = process.argv[1] ?? '';
    finish(await serve(loaded, io, (config, deps) => startServer(config, { ...deps, script })));
  });
}
