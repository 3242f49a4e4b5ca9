/** Streams untrusted bytes to the disk in constant memory; an incomplete file is removed. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskReserve, ReceivedFile } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { diskState, TENTH } from '../../store/disk/free-space.js';
import { createFailed, tooLarge, writeFailed } from './faults.js';
import { UPLOADS } from './limits.js';

export interface ReceiveOptions {
  /** Destination; the file must not exist. */
  readonly path: string;
  readonly fileName: string;
  readonly maxBytes: number;
  /** Part of the disk to keep free. */
  readonly reserve?: DiskReserve | undefined;
}

/** @throws ServiceError */
export async function receiveFile(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<ReceivedFile> {
  const { path, fileName, maxBytes, reserve } = options;
  let size = 0;
  try {
    await requireSpace(dirname(path), 0, reserve);
    const file = await open(path, 'wx', 0o600);
    try {
      let askAt = UPLOADS.spaceEveryBytes;
      for await (const chunk of arriving(source, () => size)) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        await writeWhole(file, chunk);
        if (size < askAt) continue;
        askAt += UPLOADS.spaceEveryBytes;
        await requireSpace(dirname(path), 0, reserve);
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

/** Distinguishes an error of the source from one of the disk. */
async function* arriving(source: AsyncIterable<Uint8Array>, arrived: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw createFailed(`The connection was lost after ${arrived()} bytes.`, { cause: error });
  }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

/** @throws ServiceError when less than the reserve would stay free: a refusal, which is no fault of the server */
export async function requireSpace(folder: string, bytes: number, reserve: DiskReserve = TENTH): Promise<void> {
  const { freeBytes, diskBytes } = await diskState(folder);
  if (freeBytes - bytes < reserve.bytesOf(diskBytes)) {
    throw createFailed('Not enough disk space on the server.');
  }
}
