/** Folders of test files, and those of a running server, which change while a test reads them. */
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCode } from '../../src/lib/errors.js';

/** Every name below a folder. A folder that the server removes meanwhile has none. */
export function namesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => [
      entry.name,
      ...(entry.isDirectory() ? namesBelow(join(folder, entry.name)) : []),
    ]);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** The folder of a test file, made again when the file gets a second try; its `afterAll` removes it. */
export function folderOfFile(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  beforeAll(() => void mkdirSync(folder, { recursive: true }));
  return folder;
}
