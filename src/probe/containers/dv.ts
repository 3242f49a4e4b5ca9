/** DV: all frames have the same size (IEC 61834-2). */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const FRAME_BYTES = { lines525: 120_000, lines625: 144_000 } as const;

export const dv: Container = {
  demuxers: ['dv'],
  findTruncation,
};

/** Frames at 50 and 100 Mbit/s are two and four times as large. */
function findTruncation(file: FileBytes): string | undefined {
  const system = file.read(3, 1)[0] ?? 0;
  // All bits of this byte other than the system flag are set.
  if ((system & 0x7f) !== 0x3f) return undefined;
  const frame = (system & 0x80) !== 0 ? FRAME_BYTES.lines625 : FRAME_BYTES.lines525;
  return file.size % frame === 0 ? undefined : truncated('the last frame', frame, file.size % frame);
}
