/**
 * Folders that the configuration names. Node's own recursive mkdir never ends where the system says that a name does not
 * exist although its parent does (/proc does), so parents are made one by one here.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { ConfigError } from './load.js';
import type { Config } from './schema.js';

/** Makes the folder and those above it. @throws Error with the code of the first that cannot be made */
export function makeFolder(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process was quicker; a file of that name is found out by who uses the folder.
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

/** Makes the data folder where it is missing, and writes a file into it. @throws ConfigError when either cannot be done */
export function requireDataFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  const probe = join(dataDir, `.writable-${process.pid}`);
  try {
    makeFolder(dataDir, 0o700);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      { source: 'AIRLOCK_DATA_DIR', problem: `is ${dataDir}, where nothing can be written: ${reason}` },
    ]);
  }
}
