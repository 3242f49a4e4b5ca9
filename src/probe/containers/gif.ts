/** GIF: ends with a trailer byte. */
import type { Container } from './container.js';
import type { FileBytes } from './file-bytes.js';

const TRAILER = 0x3b;

export const gif: Container = {
  demuxers: ['gif'],
  findTruncation,
};

function findTruncation(file: FileBytes): string | undefined {
  const tail = file.read(Math.max(0, file.size - 1024), 1024);
  const last = tail.findLast((byte) => byte !== 0);
  return last === TRAILER ? undefined : 'truncated file: the GIF trailer is missing';
}
