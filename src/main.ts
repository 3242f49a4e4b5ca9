#!/usr/bin/env node
import { bundledValidate } from './cli/bundled-validate.js';
import { processIo } from './cli/io.js';

const args = process.argv.slice(2);
// The one command that is over in a moment, so that its start counts.
const run = (args[0] === 'validate' ? bundledValidate()?.run : undefined) ?? (await import('./cli/program.js')).run;
process.exitCode = await run(args, processIo());
