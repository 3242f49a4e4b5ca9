/** The start of a frame that needs no walk over its NAL units. */
import { NAL_SEI } from '../h264/nal-units.js';

/** payloadType of an SEI message (H.264 D.1). */
const PICTURE_TIMING = 1;

/** The length field before a NAL unit. */
export function lengthAt(bytes: Uint8Array, at: number, lengthSize: number): number {
  let length = 0;
  for (let i = 0; i < lengthSize; i++) length = length * 256 + (bytes[at + i] as number);
  return length;
}

/**
 * Size of the SEI NAL unit at `from` if it holds one picture timing message and nothing else, which encoders with HRD
 * parameters send with every frame; 0 for anything else.
 */
export function pictureTimingBytes(bytes: Uint8Array, from: number, to: number, lengthSize: number): number {
  const at = from + lengthSize;
  if (at + 3 > to || bytes[at] !== NAL_SEI || bytes[at + 1] !== PICTURE_TIMING) return 0;
  const length = lengthAt(bytes, from, lengthSize);
  // Header, payload type and size, payload, stop bit.
  return length === (bytes[at + 2] as number) + 4 && at + length <= to ? lengthSize + length : 0;
}
