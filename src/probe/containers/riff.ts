/** AVI, DivX and other RIFF files. An AVI is a sequence of RIFF lists (OpenDML: one per gigabyte), each with its length. */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const MOST_LISTS = 10_000;

export const riff: Container = { demuxers: ['avi'], findTruncation };

function findTruncation(file: FileBytes): string | undefined {
  if (file.read(0, 12).toString('latin1', 8, 12) !== 'AVI ') return undefined;
  let at = 0;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const head = file.read(at, 12);
    if (head.length < 12 || head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
    const length = head.readUInt32LE(4);
    // 0 until the recording is finished.
    if (length === 0) return 'truncated file or unfinished recording: the length in the header is 0';
    if (length > file.size - at - 8) return truncated('the list of frames', length, file.size - at - 8);
    at += 8 + length + (length % 2);
  }
  return undefined;
}
