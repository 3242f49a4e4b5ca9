/** The judge in a program of Node (docs/library.md). */
import type { ByteSource } from '../bytes/byte-source.js';
import { type FileResult, unreadable } from '../check/file-report.js';
import { fileProblem } from '../lib/errors.js';
import { createJudge } from './judge.js';
import { openFile } from './open-file.js';
import { type FileOptions, validateSource } from './validate.js';

export { AirlockError } from './error.js';
export { explain } from './explain.js';
export { createJudge } from './judge.js';
export { CATALOGUE, SPEC } from './published.js';
export type * from './types.js';
export type { FileOptions } from './validate.js';

/**
 * Judges a recording against the specification of live broadcasts, or of uploads, as `airlock validate` does: the result is one
 * element of `files` of `validate --format json` (docs/validate.md), its records in `errors`. FLV, MP4, MOV, Matroska, WebM and
 * MPEG-TS are read, only as far as needed. A file that is missing, empty, damaged or of another container is no error: `outcome`
 * is `unreadable`, `problem` says why, and what was judged before the damage stands beside it.
 * @param file path, or random access to bytes from elsewhere (its `name` is then an option)
 * @throws AirlockError BAD_SPEC, UNKNOWN_PROFILE; the `reason` of an aborted signal
 */
export async function validateFile(file: string | ByteSource, options: FileOptions = {}): Promise<FileResult> {
  if (typeof file !== 'string') return validateSource(file, '-', options);
  try {
    const opened = openFile(file);
    try {
      if ('stream' in opened && options.meantAs === 'upload')
        return unreadable(options.name ?? file, 'upload', 'not a regular file');
      if ('stream' in opened) return await pushed(opened.stream, file, options);
      return await validateSource(opened.source, file, options, opened.reread);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (typeof Object(error).syscall !== 'string') throw error;
    return unreadable(options.name ?? file, options.meantAs ?? 'live', fileProblem(error));
  }
}

/** A pipe has no size and cannot be read a second time. */
async function pushed(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  { onProgress: _told, meantAs: _live, signal, ...options }: FileOptions,
): Promise<FileResult> {
  const judge = createJudge({ name, ...options });
  for await (const bytes of stream) {
    if (signal?.aborted === true) throw signal.reason;
    judge.write(bytes);
  }
  return judge.end();
}
