/** Writes FLV (FLV E.2, E.3): a file header, then tags as views, without copying payload. */
import type { SliceList } from '../../bytes/slices.js';
import type { FlvTagKind } from './file-reader.js';
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from './sizes.js';
import { backPointer, putTagStart, TAG_START_BYTES } from './tag-start.js';

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
