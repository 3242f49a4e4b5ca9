/** The judge in a browser, a worker or any other program without Node (docs/library.md). It has no files of its own and asks for nothing. */
import type { ByteSource } from '../bytes/byte-source.js';
import type { FileResult } from '../check/file-report.js';
import { type BlobLike, BlobSource } from './blob-source.js';
import { type FileOptions, validateSource } from './validate.js';

export type { BlobLike } from './blob-source.js';
export { AirlockError } from './error.js';
export { explain } from './explain.js';
export { createJudge } from './judge.js';
export { CATALOGUE, SPEC } from './published.js';
export type * from './types.js';
export type { FileOptions } from './validate.js';

/**
 * Judges a recording against the specification of live broadcasts, or of uploads: the result is one element of `files` of
 * `airlock validate --format json` (docs/validate.md), its records in `errors`. FLV, MP4, MOV, Matroska, WebM and MPEG-TS are
 * read in pieces, in constant memory. A file that is empty, damaged or of another container is no error: `outcome` is `unreadable`,
 * `problem` says why, and what was judged before the damage stands beside it.
 * @param file a `File`, a `Blob`, or random access to bytes from elsewhere
 * @throws AirlockError BAD_SPEC, UNKNOWN_PROFILE; the `reason` of an aborted signal; what reading throws
 */
export async function validateFile(file: BlobLike | ByteSource, options: FileOptions = {}): Promise<FileResult> {
  if ('read' in file) return validateSource(file, '-', options);
  return validateSource(new BlobSource(file), file.name ?? '-', options);
}
