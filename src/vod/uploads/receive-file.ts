/** Bytes of strangers, streamed to the disk in constant memory; nothing is left of what does not arrive whole. */
import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ReceivedFile } from '../../ports.js';
import { ServiceError } from '../../spec/service-errors.js';
import { createFailed, tooLarge, writeFailed } from './faults.js';
import { UPLOADS } from './limits.js';

export interface ReceiveOptions {
  /** Where it goes; nothing is there yet. */
  readonly path: string;
  readonly fileName: string;
  readonly maxBytes: number;
}

/** How often the free space is looked at while bytes come. */
const SPACE_EVERY_BYTES = 64 * 1024 * 1024;

/** @throws ServiceError */
export async function receiveFile(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<ReceivedFile> {
  const { path, fileName, maxBytes } = options;
  let size = 0;
  try {
    await requireSpace(dirname(path), 0);
    const file = await open(path, 'wx', 0o600);
    try {
      let askAt = SPACE_EVERY_BYTES;
      for await (const chunk of arriving(source, () => size)) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        await writeWhole(file, chunk);
        if (size < askAt) continue;
        askAt += SPACE_EVERY_BYTES;
        await requireSpace(dirname(path), 0);
      }
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw writeFailed(error);
  }
  return { fileName, size, path, discard: () => rm(path, { force: true }) };
}

/** A fault of the source is told apart from one of the disk. */
async function* arriving(source: AsyncIterable<Uint8Array>, arrived: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw createFailed(`The connection was cut after ${arrived()} bytes.`, { cause: error });
  }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

/** @throws ServiceError when less would stay free than recordings need */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (blocks > 0 && (bavail - bytes / bsize) / blocks < UPLOADS.freeLeast) {
    throw createFailed('The server has no room for the file now.', { ours: true });
  }
}
