/** AVI, DivX and the other kinds of RIFF. An AVI is RIFF lists one after the other (OpenDML: one a gigabyte), each with its length. */
import { ascii, type Container, type Format, named, opened } from './container.js';
import { type FileBytes, missing } from './file-bytes.js';

const MOST_LISTS = 10_000;

export const riff: Container = { demuxers: ['avi'], recognize, findCut };

function recognize(head: Buffer): Format | undefined {
  if (!/^RIF[FX]$/.test(ascii(head, 0, 4))) return undefined;
  const form = ascii(head, 8, 4);
  if (form === 'AVI ') return opened('avi', 'avi');
  // The sectors of a Video CD: an MPEG program stream between sector headers.
  if (form === 'CDXA') return opened('dat', 'mpeg');
  return named(form === 'WAVE' ? 'wav' : 'riff');
}

function findCut(file: FileBytes): string | undefined {
  if (ascii(file.read(0, 12), 8, 4) !== 'AVI ') return undefined;
  let at = 0;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const head = file.read(at, 12);
    if (head.length < 12 || ascii(head, 0, 4) !== 'RIFF') return undefined;
    const length = head.readUInt32LE(4);
    // Written when a recording is ended; before that it is 0.
    if (length === 0) return 'it was cut off, or its recording was not ended: its header says no length';
    if (length > file.size - at - 8) return missing('its list of frames', length, file.size - at - 8);
    at += 8 + length + (length % 2);
  }
  return undefined;
}
