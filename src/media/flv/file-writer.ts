/** Writes FLV (FLV E.2, E.3): a file header, then tags as views, without copying payload. */
import type { SliceList } from '../../bytes/slices.js';
import type { FlvTagKind } from './file-reader.js';
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from './sizes.js';

const TAG_TYPES: Readonly<Record<FlvTagKind, number>> = { audio: 8, video: 9, data: 18 };
/** The bytes between the payloads of two FLV tags (FLV E.3, E.4.1): back pointer of the one, header of the other. */
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

/** DataSize is a 24-bit field. */
export const MAX_FLV_TAG_BODY_BYTES = 0xff_ffff;

/** The file header and the first back pointer: 13 bytes. */
export function flvFileHeader(hasAudio: boolean, hasVideo: boolean): Uint8Array {
  const flags = (hasAudio ? 4 : 0) | (hasVideo ? 1 : 0);
  return Uint8Array.of(0x46, 0x4c, 0x56, 1, flags, 0, 0, 0, 9, 0, 0, 0, 0);
}

/**
 * One tag as pieces for a gathering write: header, views of the payload, back pointer. The timestamp is taken modulo 2^32;
 * its upper byte goes into the extension field. Throws RangeError for a body above MAX_FLV_TAG_BODY_BYTES.
 */
export function flvTag(kind: FlvTagKind, timestampMs: number, payload: SliceList): Uint8Array[] {
  const size = payload.length;
  if (size > MAX_FLV_TAG_BODY_BYTES) throw new RangeError(`an FLV tag cannot hold ${size} bytes`);
  const start = new Uint8Array(TAG_START_BYTES);
  putTagStart(start, 0, kind, size, timestampMs);
  return [start.subarray(BACK_POINTER_BYTES), ...payload.views(), backPointer(TAG_HEADER_BYTES + size)];
}
