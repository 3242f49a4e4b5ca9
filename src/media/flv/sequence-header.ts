/** Detection of sequence headers, which a decoder needs before any frame. */
import type { SliceList } from '../../bytes/slices.js';

const ENHANCED_VIDEO = 0x80;
const ENHANCED_AUDIO = 9;
const AVC = 7;
const AAC = 10;
const SEQUENCE_START = 0;
const CODED_FRAME = 1;

/** FLV Annex E.4.3.1 and E.4.2.1, and their Enhanced RTMP forms. Reads two bytes. */
export function isSequenceHeader(kind: 'audio' | 'video', payload: SliceList): boolean {
  const first = payload.byteAt(0);
  if (kind === 'video') {
    if ((first & ENHANCED_VIDEO) !== 0) return (first & 0x0f) === SEQUENCE_START;
    return (first & 0x0f) === AVC && payload.byteAt(1) === SEQUENCE_START;
  }
  if (first >> 4 === ENHANCED_AUDIO) return (first & 0x0f) === SEQUENCE_START;
  return first >> 4 === AAC && payload.byteAt(1) === SEQUENCE_START;
}

/** Surely a coded frame of one track, in the form that nearly all have. Reads two bytes of the first piece. */
export function isPlainFrame(kind: 'audio' | 'video', payload: SliceList): boolean {
  if (payload.count === 0 || payload.sizeAt(0) < 2) return false;
  const bytes = payload.bufferAt(0);
  const at = payload.startAt(0);
  if (bytes[at + 1] !== CODED_FRAME) return false;
  const first = bytes[at] as number;
  return kind === 'video' ? first < ENHANCED_VIDEO && (first & 0x0f) === AVC : first >> 4 === AAC;
}
