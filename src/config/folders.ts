/**
 * Configured folders. Node's recursive mkdir loops forever where mkdir reports ENOENT although the parent exists (/proc), so
 * parents are created one by one here.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { foreignOwner, unwritable } from '../lib/folder-owner.js';
import { requireRoom } from '../lib/room.js';
import type { Config } from './settings/schema.js';

/** One invalid setting and the source of its value. */
export interface ConfigIssue {
  /** `AIRLOCK_RTMPS_PORT`, `--rtmps-port`, or `"rtmpsPort" in airlock.json`. */
  readonly source: string;
  readonly problem: string;
}

/** All invalid settings. The message is shown to the operator and never contains the value of a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'BAD_CONFIG';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map((issue) => `  ${issue.source} ${issue.problem}`);
    super(`${issues.length === 1 ? 'Invalid setting' : `${issues.length} invalid settings`}:\n${lines.join('\n')}`);
    this.issues = issues;
  }
}

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

/** Folders and files that a server must be able to write in its data folder. */
const WRITTEN = ['key-secret', 'blobs', 'previews', 'recordings', 'samples', 'tools', 'work'];
const WRITTEN_WITHIN = ['journal', 'store'];

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
    const owner = isCode(error, 'EACCES') ? foreignOwner(dataDir, dataDir) : '';
    const problem = `is not writable (${dataDir}): ${reason}${owner === '' ? '' : `; ${owner}`}`;
    throw new ConfigError([{ source: 'AIRLOCK_DATA_DIR', problem }]);
  }
  const foreign = foreignFile(dataDir);
  if (foreign !== '') throw new ConfigError([{ source: 'AIRLOCK_DATA_DIR', problem: `cannot be used: ${foreign}` }]);
}

/** The first file of another user that this one cannot write, such as of a command that root ran. */
function foreignFile(dataDir: string): string {
  for (const name of WRITTEN_WITHIN) {
    const folder = join(dataDir, name);
    const problem = unwritable(folder, dataDir);
    if (problem !== '') return problem;
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const file of readdirSync(folder)) {
      const within = unwritable(join(folder, file), dataDir);
      if (within !== '') return within;
    }
  }
  return WRITTEN.map((name) => unwritable(join(dataDir, name), dataDir)).find((problem) => problem !== '') ?? '';
}
