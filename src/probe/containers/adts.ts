/** AAC in ADTS (ISO/IEC 14496-3 §1.A.2): each frame header holds the frame's length. */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

/** About 30 frames of the maximum size. */
const TAIL_BYTES = 256 * 1024;
/** This many consecutive frames are not a coincidence. */
const FRAMES_SURE = 8;
/** ID3v1 tag after the last frame. */
const ID3V1_BYTES = 128;

export const adts: Container = { demuxers: ['aac'], findTruncation };

function findTruncation(file: FileBytes): string | undefined {
  if (frameLength(file.read(0, 7), 0) === undefined) return undefined;
  const tag = file.read(file.size - ID3V1_BYTES, 3);
  const end = tag.toString('latin1') === 'TAG' ? file.size - ID3V1_BYTES : file.size;
  const from = Math.max(0, end - TAIL_BYTES);
  const tail = file.read(from, end - from);
  for (let start = 0; start < tail.length; start++) {
    const over = overrun(tail, start);
    if (over !== undefined) return over === 'none' ? undefined : truncated('the last frame', over.length, over.there);
  }
  return undefined;
}

/** Walks the frames from `start`: 'none' when they end with the bytes, undefined when these are not ADTS frames. */
function overrun(bytes: Buffer, start: number): 'none' | { length: number; there: number } | undefined {
  let at = start;
  for (let frames = 0; ; frames++) {
    if (at === bytes.length && frames > 0) return 'none';
    const length = frameLength(bytes, at);
    if (length === undefined) {
      // Fewer bytes than a frame header may remain.
      const isHeadCut = frames >= FRAMES_SURE && bytes.length - at < 7 && bytes[at] === 0xff;
      return isHeadCut ? { length: 7, there: bytes.length - at } : undefined;
    }
    if (at + length > bytes.length) return frames >= FRAMES_SURE ? { length, there: bytes.length - at } : undefined;
    at += length;
  }
}

function frameLength(bytes: Buffer, at: number): number | undefined {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return undefined;
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  return length >= 7 ? length : undefined;
}
