/** Folders of a running server, which change while a test reads them. */
import { readdirSync } from 'node:fs';
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
