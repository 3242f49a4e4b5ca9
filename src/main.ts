#!/usr/bin/env node
import { ownRole } from './server/supervisor/messages.js';

/** `serve` without its V8 flags is started again with them. */
async function launchOrRun(args: readonly string[]): Promise<number> {
  const { endWithLauncher, flagsToAdd, launch } = await import('./cli/serve/launcher.js');
  const flags = flagsToAdd(args);
  if (flags.length > 0) return launch(flags, process.argv[1] ?? '', args);
  endWithLauncher();
  return runCommand(args);
}

/** Loads what the command needs: `validate` is the one that is over in a moment, so that its start counts. */
async function runCommand(args: readonly string[]): Promise<number> {
  const [{ processIo }, { bundledValidate }] = await Promise.all([
    import('./cli/console/io.js'),
    import('./cli/validate/bundle.js'),
  ]);
  const run = (args[0] === 'validate' ? bundledValidate()?.run : undefined) ?? (await import('./cli/program.js')).run;
  return run(args, processIo());
}

const role = ownRole();
process.exitCode =
  role === undefined
    ? await launchOrRun(process.argv.slice(2))
    : await (await import('./server/roles/role.js')).runRole(role);
