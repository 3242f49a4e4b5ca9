/** NSV. A file begins with a header that states the size of the file; a stream begins with a frame and states none. */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

/** The size is not known, as a muxer without a seekable output writes it. */
const UNKNOWN_SIZE = 0xffffffff;

export const nsv: Container = {
  demuxers: ['nsv'],
  findTruncation,
};

function findTruncation(file: FileBytes): string | undefined {
  const head = file.read(0, 12);
  if (head.length < 12 || head.toString('latin1', 0, 4) !== 'NSVf') return undefined;
  const size = head.readUInt32LE(8);
  return size === UNKNOWN_SIZE || size <= file.size ? undefined : truncated('the file', size, file.size);
}
