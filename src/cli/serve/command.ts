/** `airlock serve` */
import type { Command } from 'commander';
import type { ExitCode } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addServe(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const { roleOf } = await import('../../server/cluster/link.js');
    const loaded = loadCommandConfig(command, io);
    const role = roleOf(io.env);
    if (role !== undefined) {
      const { runRole } = await import('../../server/roles/role.js');
      finish(await runRole(role, loaded.config));
      return;
    }
    const { serve } = await import('./serve.js');
    if (loaded.config.processes === 'one' && loaded.config.workers === 1) {
      const { startApp } = await import('../../server/app.js');
      finish(await serve(loaded, io, startApp));
      return;
    }
    const { startServer } = await import('../../server/serve.js');
    const [script = '', ...args] = process.argv.slice(1);
    finish(await serve(loaded, io, (config, deps) => startServer(config, { ...deps, program: { script, args } })));
  });
}
