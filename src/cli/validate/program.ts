/** The command line with one command: what `scripts/bundle.mjs` makes one file of. */
import { runCommands } from '../console/commands.js';
import type { ExitCode } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import { addValidate } from './command.js';

export function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return runCommands({ validate: () => Promise.resolve(addValidate) }, args, io);
}
