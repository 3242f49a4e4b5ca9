/** Room on the disk for a start: LMDB maps its lock file into memory, and a page that the disk has no room for ends the process. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './errors.js';

/** Twice what a first start writes: the tables of the store, the journal and the quickstart. */
const START_BYTES = 512 * 1024;

export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly code = 'DISK_FULL';
}

/** Writes a file to find out, since neither quotas nor reserved blocks are in the free bytes. @throws DiskFullError */
export function requireRoom(folder: string): void {
  const probe = join(folder, `.room-${process.pid}`);
  try {
    writeFileSync(probe, Buffer.alloc(START_BYTES));
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    // After a write in part: what was written is removed first, so that the number is what there is.
    rmSync(probe, { force: true });
    const { bavail, bsize } = statfsSync(folder);
    throw new DiskFullError(
      `the disk of ${folder} is full: ${bavail * bsize} bytes are free, a start needs ${START_BYTES}`,
    );
  } finally {
    rmSync(probe, { force: true });
  }
}
