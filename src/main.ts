#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { ownRole } from './server/supervisor/messages.js';
import { SUPERVISOR_FLAG } from './server/system/v8-flags.js';
import { adoptHouseSpec, HOUSE_VARIABLE } from './spec/house.js';

/** Loads what the command needs: `validate` is the one that is over in a moment, so that its start counts. */
async function runCommand(args: readonly string[]): Promise<number> {
  // Before its code becomes warm.
  if (args[0] === 'serve') setFlagsFromString(SUPERVISOR_FLAG);
  const [{ processIo }, { bundledValidate }] = await Promise.all([
    import('./cli/console/io.js'),
    import('./cli/validate/bundle.js'),
  ]);
  const io = processIo();
  const { adoptGivenSpec } = await import('./cli/input/house-spec.js');
  const problem = await adoptGivenSpec(args, io);
  if (problem !== undefined) {
    io.stderr.write(`airlock: ${problem}\n`);
    return USAGE;
  }
  const run = (args[0] === 'validate' ? bundledValidate()?.run : undefined) ?? (await import('./cli/program.js')).run;
  return run(args, io);
}

/** Exit code of a wrong command line. */
const USAGE = 2;

const role = ownRole();
const house = process.env[HOUSE_VARIABLE];
if (role !== undefined && house !== undefined) adoptHouseSpec(JSON.parse(house));
process.exitCode =
  role === undefined
    ? await runCommand(process.argv.slice(2))
    : await (await import('./server/roles/role.js')).runRole(role);
