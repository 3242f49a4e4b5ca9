/** DV, whose frames are all of one length, and GIF, which ends with a mark. */
import { type FileBytes, missing } from './file-bytes.js';

const DV_FRAME_BYTES = { lines525: 120_000, lines625: 144_000 } as const;
const GIF_TRAILER = 0x3b;

/** The header block of the first sequence of a frame (IEC 61834-2). */
export function isDv(head: Buffer): boolean {
  return head.length >= 4 && head[0] === 0x1f && head[1] === 0x07 && head[2] === 0 && ((head[3] ?? 0) & 0x7f) === 0x3f;
}

/** Streams of 50 and 100 Mbit/s have frames of twice and four times as much. */
export function cutOffDv(file: FileBytes): string | undefined {
  const is625 = ((file.read(3, 1)[0] ?? 0) & 0x80) !== 0;
  const frame = is625 ? DV_FRAME_BYTES.lines625 : DV_FRAME_BYTES.lines525;
  return file.size % frame === 0 ? undefined : missing('its last frame', frame, file.size % frame);
}

export function isGif(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'GIF8';
}

export function cutOffGif(file: FileBytes): string | undefined {
  const tail = file.read(Math.max(0, file.size - 1024), 1024);
  const last = tail.findLast((byte) => byte !== 0);
  return last === GIF_TRAILER ? undefined : 'it was cut off: the mark that ends every GIF is missing';
}
