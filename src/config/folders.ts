/**
 * Configured folders. Node's recursive mkdir loops forever where mkdir reports ENOENT although the parent exists (/proc), so
 * parents are created one by one here.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { requireRoom } from '../lib/room.js';
import { ConfigError } from './config-error.js';
import type { Config } from './settings/schema.js';

/** Creates the folder and its parents. @throws Error with the code of the first one that cannot be created */
export function makeFolder(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process created it. A regular file of this name fails when the folder is used.
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

/** Creates the data folder if needed and writes a test file. @throws ConfigError when either fails, DiskFullError */
export function requireDataFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  const probe = join(dataDir, `.writable-${process.pid}`);
  try {
    makeFolder(dataDir, 0o700);
    writeFileSync(probe, '');
    rmSync(probe);
    requireRoom(dataDir);
  } catch (error) {
    if (isCode(error, 'DISK_FULL')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ source: 'AIRLOCK_DATA_DIR', problem: `is not writable (${dataDir}): ${reason}` }]);
  }
}
