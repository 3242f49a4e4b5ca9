/** AVI, DivX and other RIFF files. An AVI is a sequence of RIFF lists (OpenDML: one per gigabyte), each with its length. */
import { ascii, type Container, type Format, named, opened } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const MOST_LISTS = 10_000;

export const riff: Container = { demuxers: ['avi'], recognize, findTruncation };

function recognize(head: Buffer): Format | undefined {
  if (!/^RIF[FX]$/.test(ascii(head, 0, 4))) return undefined;
  const form = ascii(head, 8, 4);
  if (form === 'AVI ') return opened('avi', 'avi');
  // Video CD sectors: an MPEG program stream with sector headers.
  if (form === 'CDXA') return opened('dat', 'mpeg');
  return named(form === 'WAVE' ? 'wav' : 'riff');
}

function findTruncation(file: FileBytes): string | undefined {
  if (ascii(file.read(0, 12), 8, 4) !== 'AVI ') return undefined;
  let at = 0;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const head = file.read(at, 12);
    if (head.length < 12 || ascii(head, 0, 4) !== 'RIFF') return undefined;
    const length = head.readUInt32LE(4);
    // 0 until the recording is finished.
    if (length === 0) return 'truncated file or unfinished recording: the length in the header is 0';
    if (length > file.size - at - 8) return truncated('the list of frames', length, file.size - at - 8);
    at += 8 + length + (length % 2);
  }
  return undefined;
}
