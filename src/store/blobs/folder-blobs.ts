/**
 * Blobs as files in a folder. A blob is written to a draft, synced, renamed, and the folder synced, so that after a power
 * loss either the complete blob or its predecessor is there. Drafts left by a crash are removed at the next start once
 * they are a day old, since another process may still be writing a younger one.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, type FileHandle, mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isCode } from '../../lib/errors.js';
import { type BlobInfo, BlobMissingError, type Blobs } from '../../ports/index.js';
import { requireBlobKey } from './blob-key.js';

const DRAFTS = '.drafts';
const DRAFT_LIFE_MS = 86_400_000;

export class FolderBlobs implements Blobs {
  readonly kind = 'folder';
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async open(root: string, nowMs: number): Promise<FolderBlobs> {
    const drafts = join(root, DRAFTS);
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    for await (const entry of await opendir(drafts)) {
      const path = join(drafts, entry.name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && nowMs - found.mtimeMs > DRAFT_LIFE_MS) await rm(path, { force: true });
    }
    return new FolderBlobs(root);
  }

  async put(key: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    const draft = join(this.#root, DRAFTS, randomUUID());
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        if (source instanceof Uint8Array) await file.writeFile(source);
        else for await (const chunk of source) await writeAll(file, chunk);
        await file.datasync();
      } finally {
        await file.close();
      }
      return await this.#place(draft, key);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async adopt(key: string, path: string): Promise<BlobInfo> {
    requireBlobKey(key);
    await syncFile(path);
    try {
      return await this.#place(path, key);
    } catch (error) {
      if (!isCode(error, 'EXDEV')) throw error;
    }
    // Another file system: copy to a draft, then rename.
    const draft = join(this.#root, DRAFTS, randomUUID());
    try {
      await copyFile(path, draft);
      await syncFile(draft);
      const info = await this.#place(draft, key);
      await rm(path, { force: true });
      return info;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async #place(draft: string, key: string): Promise<BlobInfo> {
    const path = this.#path(key);
    // Deleting the last blob of a folder removes the folder, which can happen between its creation and the rename.
    for (let attempt = 1; ; attempt++) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await rename(draft, path);
        await syncFile(dirname(path));
        break;
      } catch (error) {
        if (!isCode(error, 'ENOENT') || attempt === 3) throw error;
      }
    }
    const info = await this.stat(key);
    if (info === undefined) throw new BlobMissingError(key);
    return info;
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    try {
      const { size, mtimeMs, ino } = await stat(this.#path(key));
      const etag = `"${ino.toString(36)}-${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
      return { size, etag, modifiedMs: Math.round(mtimeMs) };
    } catch (error) {
      if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  async read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    let file: FileHandle;
    try {
      file = await open(this.#path(key), 'r');
    } catch (error) {
      if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) throw new BlobMissingError(key);
      throw error;
    }
    return file.createReadStream(range ?? {});
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    try {
      await rmdir(dirname(path));
    } catch (error) {
      if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; size: number; modifiedMs: number }> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for await (const key of this.#walk(folder)) {
      if (!key.startsWith(prefix)) continue;
      const info = await this.stat(key);
      if (info !== undefined) yield { key, size: info.size, modifiedMs: info.modifiedMs };
    }
  }

  async *#walk(folder: string): AsyncGenerator<string> {
    try {
      for await (const entry of await opendir(join(this.#root, folder))) {
        if (entry.name.startsWith('.')) continue;
        if (entry.isDirectory()) yield* this.#walk(`${folder}${entry.name}/`);
        else if (entry.isFile()) yield `${folder}${entry.name}`;
      }
    } catch (error) {
      // The folder was removed while it was being listed.
      if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) throw error;
    }
  }

  localPath(key: string): string {
    return this.#path(key);
  }

  #path(key: string): string {
    return join(this.#root, requireBlobKey(key));
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

/** Syncs a file, or the entries of a folder. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
