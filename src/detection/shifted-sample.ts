/**
 * A sample of sound without its beginning. The items of a broadcast lie up to half of their distance beside those of the
 * reference, which gives most of the bit errors of clean sound. Those of the sound half a distance later lie nearer.
 */
import { PRINT } from '../copyright/limits.js';
import { BACK_POINTER_BYTES, FILE_START_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';

const HALF_MS = PRINT.itemMs / 2;
/** Half of a frame of AAC. */
const NEAR_MS = 12;

export interface ShiftedSample {
  readonly flv: Uint8Array;
  /** Length of what was left out. */
  readonly byMs: number;
}

/** `flv`: a file header, a sequence header, then frames in the order of their times. Undefined if it ends before. */
export function shiftedSample(flv: Uint8Array): ShiftedSample | undefined {
  const bytes = Buffer.from(flv.buffer, flv.byteOffset, flv.byteLength);
  let firstMs: number | undefined;
  let headerEnd = 0;
  for (let at = FILE_START_BYTES; at + TAG_HEADER_BYTES <= bytes.length; ) {
    const stampMs = bytes.readUIntBE(at + 4, 3) + (bytes[at + 7] ?? 0) * 2 ** 24;
    if (headerEnd > 0) firstMs ??= stampMs;
    const byMs = firstMs === undefined ? 0 : (stampMs - firstMs) >>> 0;
    if (byMs >= HALF_MS - NEAR_MS)
      return { flv: Buffer.concat([bytes.subarray(0, headerEnd), bytes.subarray(at)]), byMs };
    at += TAG_HEADER_BYTES + bytes.readUIntBE(at + 1, 3) + BACK_POINTER_BYTES;
    if (headerEnd === 0) headerEnd = at;
  }
  return undefined;
}
