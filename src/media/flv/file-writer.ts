/** Writes FLV (FLV E.2, E.3): a file header, then tags as views, without copying payload. */
import type { SliceList } from '../../bytes/slices.js';
import type { FlvTagKind } from './file-reader.js';
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from './sizes.js';

const TAG_TYPES: Readonly<Record<FlvTagKind, number>> = { audio: 8, video: 9, data: 18 };
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
  const time = timestampMs >>> 0;
  const header = new Uint8Array(TAG_HEADER_BYTES);
  header[0] = TAG_TYPES[kind];
  put(header, 1, 3, size);
  put(header, 4, 3, time & 0xff_ffff);
  header[7] = time >>> 24;
  const backPointer = new Uint8Array(BACK_POINTER_BYTES);
  put(backPointer, 0, BACK_POINTER_BYTES, TAG_HEADER_BYTES + size);
  return [header, ...payload.views(), backPointer];
}

function put(out: Uint8Array, at: number, count: number, value: number): void {
  for (let i = 0; i < count; i++) out[at + i] = (value / 2 ** (8 * (count - 1 - i))) & 0xff;
}
