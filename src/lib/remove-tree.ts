/**
 * Removes a folder with what a program left there that is not trusted. `fs.rm` joins names to one path, which fails beyond
 * PATH_MAX, and cannot enter folders without permissions: one such folder would stay forever, with all that follow it in a sweep.
 */
import { randomUUID } from 'node:crypto';
import { chmod, constants, type FileHandle, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from './errors.js';

const FOLDER_FLAGS = (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** A program that is ending may still write. */
const ATTEMPTS = 4;

/** A folder that is missing is no error. Links are removed, not followed. */
export async function removeTree(path: string): Promise<void> {
  if (process.platform !== 'linux') return rm(path, { recursive: true, force: true, maxRetries: 3 });
  for (let attempt = 1; ; attempt++) {
    try {
      await emptied(path);
      return await rmdir(path);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return;
      if (!isCode(error, 'ENOTEMPTY') || attempt === ATTEMPTS) throw error;
    }
  }
}

async function emptied(path: string): Promise<void> {
  const folder = await open(path, FOLDER_FLAGS);
  try {
    let isLeft = true;
    // Each round removes one level of folders.
    while (isLeft) isLeft = await removedLevel(through(folder));
  } finally {
    await folder.close();
  }
}

/** A path of constant length that leads to this folder, also where it has been moved. */
const through = (folder: FileHandle): string => `/proc/self/fd/${folder.fd}`;

/** Removes files, and moves what folders hold to the top. False when there was nothing. */
async function removedLevel(top: string): Promise<boolean> {
  let isFound = false;
  for await (const entry of await opendir(top)) {
    isFound = true;
    const path = join(top, entry.name);
    if (entry.isDirectory()) await unpack(path, top);
    else await unlink(path);
  }
  return isFound;
}

async function unpack(path: string, top: string): Promise<void> {
  // Moving a folder writes to it: its entry `..` changes.
  await chmod(path, 0o700);
  const folder = await open(path, FOLDER_FLAGS);
  try {
    for await (const entry of await opendir(through(folder))) {
      const inner = join(through(folder), entry.name);
      if (entry.isDirectory()) await chmod(inner, 0o700);
      await rename(inner, join(top, randomUUID()));
    }
  } finally {
    await folder.close();
  }
  await rmdir(path);
}
