/** MP4 and MOV by their first box (ISO/IEC 14496-12, 4.3). */
import { ByteReader } from '../../bytes/byte-reader.js';

/** First boxes of QuickTime files that predate `ftyp`. */
const OLD_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/** A segment of a fragmented file (`styp`) is not recognized: it is incomplete by itself. */
export function isIso(head: Uint8Array): boolean {
  const type = textAt(head, 4);
  return type === 'ftyp' || OLD_BOXES.has(type);
}

export function isoContainer(head: Uint8Array): string {
  return textAt(head, 4) !== 'ftyp' || textAt(head, 8) === 'qt  ' ? 'mov' : 'mp4';
}

function textAt(head: Uint8Array, at: number): string {
  return head.length < at + 4 ? '' : new ByteReader(head, '', at).latin1(4);
}
