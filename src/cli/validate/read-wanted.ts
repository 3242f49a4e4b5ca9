/**
 * Reads only the parts of a file that the consumer needs: frame headers without payloads, which are most of a recording.
 * Reads are synchronous, each a system call of about a microsecond.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '../../bytes/byte-source.js';
import { type BufferedConsumer, ReadBuffers, SparseReads } from '../../check/sparse-reads.js';

/** Reads per progress callback, which limits its own rate. */
const READS_PER_PROGRESS = 64;

/** A consumer that needs only part of the bytes, such as `FileJudge`. */
export interface SparseConsumer extends BufferedConsumer {
  push(bytes: Uint8Array, from: number, to: number): void;
  /** Number of following bytes that may be skipped. */
  readonly unwanted: number;
  skip(count: number): void;
}

/** Calls `onRead` every READS_PER_PROGRESS reads. */
export function readWanted(path: string, consumer: SparseConsumer, onRead: () => void): void {
  const file = openSync(path, 'r');
  try {
    const { size: fileBytes } = fstatSync(file);
    const buffers = new ReadBuffers();
    const plan = new SparseReads();
    let position = 0;
    for (let reads = 1; ; reads++) {
      buffers.reserve(plan.wanted, consumer);
      const { buffer, used } = buffers;
      const size = readSync(file, buffer, used, plan.wanted, position);
      if (size === 0) return;
      consumer.push(buffer, used, used + size);
      buffers.used += size;
      position += size;
      // Never skips past the end, so that truncation is detected.
      const skipped = plan.skip(Math.min(consumer.unwanted, fileBytes - position));
      if (skipped > 0) consumer.skip(skipped);
      position += skipped;
      if (reads % READS_PER_PROGRESS === 0) onRead();
    }
  } finally {
    closeSync(file);
  }
}

/** `size` bytes from `offset` on, fewer at the end of the file. */
export function readPart(path: string, offset: number, size: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, offset));
  } finally {
    closeSync(file);
  }
}

/** A file by offset. `onRead` gets the end of the furthest read. */
export function openFile(path: string, onRead: (bytes: number) => void): ByteSource & { close(): void } {
  const file = openSync(path, 'r');
  let furthest = 0;
  return {
    size: fstatSync(file).size,
    async read(offset, length) {
      const bytes = Buffer.allocUnsafeSlow(length);
      const size = readSync(file, bytes, 0, length, offset);
      furthest = Math.max(furthest, offset + size);
      onRead(furthest);
      return bytes.subarray(0, size);
    },
    close: () => closeSync(file),
  };
}
