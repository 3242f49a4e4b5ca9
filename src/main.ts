#!/usr/bin/env node
import { ownRole, type Role } from './server/supervisor/messages.js';
import { adoptHouseSpec, HOUSE_VARIABLE } from './spec/house.js';

type Program = Pick<typeof import('./cli/program.js'), 'run'>;
type RoleProgram = typeof import('./server/roles/role.js');

async function runCommand(args: readonly string[]): Promise<number> {
  const { processIo } = await import('./cli/console/io.js');
  const io = processIo();
  const { adoptGivenSpec } = await import('./cli/input/house-spec.js');
  const problem = await adoptGivenSpec(args, io);
  if (problem !== undefined) {
    io.stderr.write(`airlock: ${problem}\n`);
    return USAGE;
  }
  const { bundled } = await import('./server/system/bundle.js');
  const { run } = bundled<Program>('program.cjs', 'command') ?? (await import('./cli/program.js'));
  return run(args, io);
}

async function startRole(role: Role): Promise<number> {
  const { bundled } = await import('./server/system/bundle.js');
  const { runRole } = bundled<RoleProgram>('role.cjs', role) ?? (await import('./server/roles/role.js'));
  return runRole(role);
}

/** Exit code of a wrong command line. */
const USAGE = 2;

const role = ownRole();
const house = process.env[HOUSE_VARIABLE];
if (role !== undefined && house !== undefined) adoptHouseSpec(JSON.parse(house));
process.exitCode = role === undefined ? await runCommand(process.argv.slice(2)) : await startRole(role);
