#!/usr/bin/env node
import { processIo } from './cli/io.js';
import { run } from './cli/program.js';

process.exitCode = await run(process.argv.slice(2), processIo());
