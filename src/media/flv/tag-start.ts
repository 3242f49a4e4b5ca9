/** The bytes between the payloads of two FLV tags (FLV E.3, E.4.1): back pointer of the one, header of the other. */
import type { FlvTagKind } from './file-reader.js';
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from './sizes.js';

const TAG_TYPES: Readonly<Record<FlvTagKind, number>> = { audio: 8, video: 9, data: 18 };
export const TAG_START_BYTES = BACK_POINTER_BYTES + TAG_HEADER_BYTES;

/**
 * `tagBytes`: size of the previous tag with its header, 0 for the first. `size`: of this tag's body, 24 bits. The timestamp is taken
 * modulo 2^32; its upper byte goes into the extension field. `out` holds `TAG_START_BYTES`, of which the stream ID stays 0.
 */
export function putTagStart(
  out: Uint8Array,
  tagBytes: number,
  kind: FlvTagKind,
  size: number,
  timestampMs: number,
): void {
  putUint32(out, 0, tagBytes);
  putUint32(out, 4, size);
  out[4] = TAG_TYPES[kind];
  const time = timestampMs >>> 0;
  putUint32(out, 8, time << 8);
  out[11] = time >>> 24;
}

export function backPointer(tagBytes: number): Uint8Array {
  const out = new Uint8Array(BACK_POINTER_BYTES);
  putUint32(out, 0, tagBytes);
  return out;
}

function putUint32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}
