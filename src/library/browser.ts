/** The judge in a browser, a worker or any other program without Node (docs/library.md). It has no files of its own and asks for nothing. */
import type { ByteSource } from '../bytes/byte-source.js';
import type { FileResult } from '../check/file-report.js';
import { type FileOptions, validateSource } from './validate.js';

export { AirlockError } from './error.js';
export { explain } from './explain.js';
export { createJudge } from './judge.js';
export { CATALOGUE, SPEC } from './published.js';
export type * from './types.js';
export type { FileOptions } from './validate.js';

/** A `Blob` or `File`. */
export interface BlobLike {
  readonly size: number;
  readonly name?: string;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/**
 * Judges a recording against the live specification: the result is one element of `files` of `airlock validate --format json`
 * (docs/validate.md), its records in `errors`. FLV is read in pieces, only as far as it is needed, in constant memory. A file
 * that is empty, damaged or of another container is no error: `outcome` is `unreadable`, `problem` says why, and what was judged
 * before the damage stands beside it.
 * @param file a `File`, a `Blob`, or random access to bytes from elsewhere
 * @throws AirlockError BAD_SPEC, UNKNOWN_PROFILE; the `reason` of an aborted signal; what reading throws
 */
export async function validateFile(file: BlobLike | ByteSource, options: FileOptions = {}): Promise<FileResult> {
  if ('read' in file) return validateSource(file, '-', options);
  return validateSource(sourceOf(file), file.name ?? '-', options);
}

/** Larger than most of what is read at a time: a read of a blob costs some 0.1 ms, whatever its size. */
const WINDOW_BYTES = 256 * 1024;

function sourceOf(blob: BlobLike): ByteSource {
  let window = new Uint8Array(0);
  let windowAt = 0;
  return {
    size: blob.size,
    read: async (offset, length) => {
      const end = Math.min(offset + length, blob.size);
      if (offset < windowAt || end > windowAt + window.length) {
        windowAt = offset;
        const windowEnd = Math.min(offset + Math.max(length, WINDOW_BYTES), blob.size);
        window = new Uint8Array(await blob.slice(offset, windowEnd).arrayBuffer());
      }
      return window.subarray(offset - windowAt, end - windowAt);
    },
  };
}
