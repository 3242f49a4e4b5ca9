import { type AmfObject, amfObject } from '../amf/amf-value.js';

/** The information object of onStatus and `_error`. */
export interface StatusInfo {
  readonly level: 'status' | 'warning' | 'error';
  readonly code: string;
  readonly description: string;
  readonly [field: string]: string | number | boolean;
}

/** ffmpeg cuts descriptions at this many bytes (rtmp-clients, section 3). */
export const MAX_DESCRIPTION_BYTES = 255;

const UTF8 = new TextEncoder();

/** The text in at most `maxBytes` of UTF-8, cut between characters. */
export function truncateUtf8(text: string, maxBytes: number): string {
  const { read } = UTF8.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/**
 * As AMF members, level, code and description first. A description is never missing or empty: OBS and librtmp crash on an
 * `_error` without one (rtmp-interop C21).
 */
export function statusObject(info: StatusInfo): AmfObject {
  const { level, code, description, ...others } = info;
  const words = truncateUtf8(description, MAX_DESCRIPTION_BYTES);
  return amfObject({ level, code, description: words === '' ? code : words, ...others });
}
