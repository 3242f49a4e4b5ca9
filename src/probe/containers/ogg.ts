/** Ogg (RFC 3533 §6): pages that say how long they are, and which is the last one of its stream. */
import { ascii, type Container, opened } from './container.js';
import type { FileBytes } from './file-bytes.js';

const LARGEST_PAGE_BYTES = 65_307;
const END_OF_STREAM = 4;

export const ogg: Container = {
  demuxers: ['ogg'],
  recognize: (head) => (ascii(head, 0, 4) === 'OggS' ? opened('ogg', 'ogg') : undefined),
  findCut,
};

function findCut(file: FileBytes): string | undefined {
  const from = Math.max(0, file.size - 2 * LARGEST_PAGE_BYTES);
  const tail = file.read(from, file.size - from);
  for (let at = tail.indexOf('OggS'); at >= 0; at = tail.indexOf('OggS', at + 1)) {
    const page = pageAt(tail, at);
    if (page === undefined || page.end > tail.length) {
      // The capture pattern may also stand by chance in the body of a page, and then pages follow.
      if (tail.indexOf('OggS', at + 1) < 0) return 'it was cut off in the middle of its last page';
    } else if (page.end === tail.length) {
      return page.isLast
        ? undefined
        : 'it was cut off, or its recording was not ended: its last page is not marked as the last';
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
