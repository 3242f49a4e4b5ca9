/** Ogg (RFC 3533 §6): each page holds its length and whether it is the last of its stream. */
import type { Container } from './container.js';
import type { FileBytes } from './file-bytes.js';

const LARGEST_PAGE_BYTES = 65_307;
const END_OF_STREAM = 4;

export const ogg: Container = {
  demuxers: ['ogg'],
  findTruncation,
};

function findTruncation(file: FileBytes): string | undefined {
  const from = Math.max(0, file.size - 2 * LARGEST_PAGE_BYTES);
  const tail = file.read(from, file.size - from);
  for (let at = tail.indexOf('OggS'); at >= 0; at = tail.indexOf('OggS', at + 1)) {
    const page = pageAt(tail, at);
    if (page === undefined || page.end > tail.length) {
      // The capture pattern may also occur inside a page; then pages follow.
      if (tail.indexOf('OggS', at + 1) < 0) return 'truncated file: ends inside a page';
    } else if (page.end === tail.length) {
      return page.isLast
        ? undefined
        : 'truncated file or unfinished recording: the last page has no end-of-stream flag';
    }
  }
  return undefined;
}

function pageAt(bytes: Buffer, at: number): { readonly end: number; readonly isLast: boolean } | undefined {
  const segments = bytes[at + 26];
  if (segments === undefined || at + 27 + segments > bytes.length) return undefined;
  const table = bytes.subarray(at + 27, at + 27 + segments);
  return {
    end: at + 27 + segments + table.reduce((sum, length) => sum + length, 0),
    isLast: ((bytes[at + 5] ?? 0) & END_OF_STREAM) !== 0,
  };
}
