/** MP4, MOV, F4V, 3GP (ISO/IEC 14496-12 §4.2): boxes one after the other, each with its length, one of them the index. */
import { type FileBytes, missing } from './file-bytes.js';

const FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'styp']);
/** A fragmented recording has two a fragment: a day of half seconds. */
const MOST_BOXES = 400_000;

export function isIsoFile(head: Buffer): boolean {
  return head.length >= 8 && FIRST_BOXES.has(head.toString('latin1', 4, 8));
}

export function cutOffIso(file: FileBytes): string | undefined {
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at < file.size && boxes < MOST_BOXES; boxes++) {
    const head = file.read(at, 16);
    if (head.length < 8) return hasIndex ? undefined : NO_INDEX;
    const type = head.toString('latin1', 4, 8);
    // Zeros to fill a sector, or anything else behind the last box, is none.
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) break;
    const length = lengthOf(head, file.size - at);
    if (length === undefined) break;
    if (length > file.size - at) return missing(`its part “${type}”`, length, file.size - at);
    hasIndex ||= type === 'moov';
    at += length;
  }
  return hasIndex ? undefined : NO_INDEX;
}

const NO_INDEX =
  'it was cut off, or its recording was not ended: the index (“moov”) that tells where its frames are is missing';

/** Length 0 reaches to the end of the file; 1 says that 64 bits follow. */
function lengthOf(head: Buffer, rest: number): number | undefined {
  const length = head.readUInt32BE(0);
  if (length === 0) return rest;
  if (length >= 8) return length;
  if (length !== 1 || head.length < 16) return undefined;
  const long = Number(head.readBigUInt64BE(8));
  return long >= 16 ? long : undefined;
}
