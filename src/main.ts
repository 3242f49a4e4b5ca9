#!/usr/bin/env node
import { ownRole } from './server/supervisor/messages.js';

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
    ? await runCommand(process.argv.slice(2))
    : await (await import('./server/roles/role.js')).runRole(role);
