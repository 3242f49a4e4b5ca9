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

const ELLIPSIS = '\u2026';
const ELLIPSIS_BYTES = 3;
const UTF8 = new TextEncoder();

/** The text in at most `maxBytes` of UTF-8: its first whole sentences, or where not even one fits, whole words and an ellipsis. */
export function shortened(text: string, maxBytes: number): string {
  const fits = charactersIn(text, maxBytes);
  if (fits === text.length) return text;
  // With the blank behind it: only that tells the end of a sentence from the point in a number.
  const sentences = /^.*\S[.!?](?=\s)/s.exec(text.slice(0, fits + 1))?.[0];
  if (sentences !== undefined) return sentences;
  const beside = text.slice(0, charactersIn(text, maxBytes - ELLIPSIS_BYTES));
  const words = /^.*\S(?=\s)/s.exec(beside)?.[0] ?? beside;
  return `${words}${ELLIPSIS}`;
}

/** How many UTF-16 units of the text come to at most so many bytes of UTF-8; never half a character. */
function charactersIn(text: string, maxBytes: number): number {
  return UTF8.encodeInto(text, new Uint8Array(maxBytes)).read;
}

/**
 * As AMF members, level, code and description first. A description is never missing or empty: OBS and librtmp crash on an
 * `_error` without one (rtmp-interop C21).
 */
export function statusObject(info: StatusInfo): AmfObject {
  const { level, code, description, ...others } = info;
  const words = shortened(description, MAX_DESCRIPTION_BYTES);
  return amfObject({ level, code, description: words === '' ? code : words, ...others });
}
