/**
 * Reads a segment past the page cache (O_DIRECT). It was written past it, and the pages for a first read cost more than a second of
 * CPU a gigabyte, though they are read once and removed with the segment.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AlignedBuffers, BLOCK_BYTES } from './aligned-buffers.js';
import { isRefusal } from './segment-disk.js';

/** 1 MB a read. */
const BUFFERS = 16;
const CACHED_READ_BYTES = 256 * 1024;
const pool = new AlignedBuffers();

/** The bytes of a file. @throws Error with code ENOENT, before the first */
export async function openSegment(path: string): Promise<AsyncIterable<Uint8Array>> {
  const direct: number | undefined = constants.O_DIRECT;
  if (direct === undefined) return openCached(path, 0);
  try {
    return chunks(path, await open(path, constants.O_RDONLY | direct));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return openCached(path, 0);
  }
}

async function openCached(path: string, start: number): Promise<AsyncIterable<Uint8Array>> {
  return (await open(path, 'r')).createReadStream({ start, highWaterMark: CACHED_READ_BYTES });
}

/** Copies, because a reader of tags keeps the bytes of an incomplete one. */
async function* chunks(path: string, file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffers = Array.from({ length: BUFFERS }, () => pool.take());
  let position = 0;
  let bytes = 0;
  try {
    do {
      const read = await readInto(buffers, file, position);
      if (read === undefined) {
        yield* await openCached(path, position);
        return;
      }
      bytes = read;
      position += bytes;
      let rest = bytes;
      for (const buffer of buffers) {
        if (rest <= 0) break;
        yield Buffer.copyBytesFrom(buffer, 0, Math.min(rest, buffer.length));
        rest -= buffer.length;
      }
      // After the end of the file, the next position would not be that of a block.
    } while (bytes > 0 && bytes % BLOCK_BYTES === 0);
  } finally {
    for (const buffer of buffers) pool.release(buffer);
    await file.close();
  }
}

/** `undefined`: the file system refuses direct reads, or the memory is not aligned. */
async function readInto(buffers: readonly Uint8Array[], file: FileHandle, at: number): Promise<number | undefined> {
  try {
    return (await file.readv(buffers, at)).bytesRead;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
