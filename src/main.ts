#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { processIo } from './cli/console/io.js';
import { endWithLauncher, flagsToAdd, launch } from './cli/serve/launcher.js';
import { bundledValidate } from './cli/validate/bundle.js';

const args = process.argv.slice(2);
const flags = flagsToAdd(args);
if (flags.length > 0) {
  process.exitCode = await launch(flags, fileURLToPath(import.meta.url), args);
} else {
  endWithLauncher();
  // The one command that is over in a moment, so that its start counts.
  const run = (args[0] === 'validate' ? bundledValidate()?.run : undefined) ?? (await import('./cli/program.js')).run;
  process.exitCode = await run(args, processIo());
}
