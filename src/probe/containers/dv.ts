/** DV, whose frames are all of one length (IEC 61834-2). */
import { type Container, opened } from './container.js';
import { type FileBytes, missing } from './file-bytes.js';

const FRAME_BYTES = { lines525: 120_000, lines625: 144_000 } as const;

export const dv: Container = {
  demuxers: ['dv'],
  // Header block of the first DIF sequence (figure 66): type 0, sequence 0, APT free.
  recognize: (head) => (head[0] === 0x1f && head[1] === 0x07 && head[2] === 0 ? opened('dv', 'dv') : undefined),
  findCut,
};

/** Streams of 50 and 100 Mbit/s have frames of twice and four times as much. */
function findCut(file: FileBytes): string | undefined {
  const system = file.read(3, 1)[0] ?? 0;
  // Beside the flag of the system, all bits of this byte are set.
  if ((system & 0x7f) !== 0x3f) return undefined;
  const frame = (system & 0x80) !== 0 ? FRAME_BYTES.lines625 : FRAME_BYTES.lines525;
  return file.size % frame === 0 ? undefined : missing('its last frame', frame, file.size % frame);
}
