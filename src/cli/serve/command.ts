/** `airlock serve` */
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { SUPERVISOR_FLAG } from '../../server/system/v8-flags.js';
import type { ExitCode } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { addConfigOptions, loadCommandConfig } from '../input/config-options.js';

export function addServe(program: Command, io: CliIo, finish: (code: ExitCode) => void): void {
  const command = program.command('serve').description('run the server');
  addConfigOptions(command).action(async () => {
    const loaded = loadCommandConfig(command, io);
    const [{ serve }, { startServer }] = await loadServe();
    // Before its code becomes warm, and not before it is loaded: V8's stored code is of a process without the flag.
    setFlagsFromString(SUPERVISOR_FLAG);
    const script = process.argv[1] ?? '';
    finish(await serve(loaded, io, (config, deps) => startServer(config, { ...deps, script })));
  });
}

export const loadServe = () => Promise.all([import('./serve.js'), import('../../server/serve.js')]);
