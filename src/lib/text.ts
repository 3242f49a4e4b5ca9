/** Truncates text to a number of UTF-8 bytes: never within a character, and at a sentence, item or word where possible. */

/** Bytes of a description that every client shows: ffmpeg cuts it here. */
export const SHOWN_BYTES = 255;

const ELLIPSIS = '\u2026';
const UTF8 = new TextEncoder();
const ELLIPSIS_BYTES = byteLength(ELLIPSIS);

export function byteLength(text: string): number {
  return UTF8.encode(text).length;
}

/** A copy for what outlives its origin: V8 keeps the whole of a text for a part of it, so a URL with its token for its `fields`. */
export function copied(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** The leading complete sentences; if not even one fits, complete words and an ellipsis. */
export function sentencesWithin(text: string, maxBytes: number): string {
  const fits = start(text, maxBytes);
  if (fits === text) return text;
  // Includes the following space, which distinguishes the end of a sentence from a decimal point.
  const sentences = /^.*\S[.!?](?=\s)/s.exec(text.slice(0, fits.length + 1))?.[0];
  return sentences ?? cutAtWord(text, maxBytes);
}

/** Shortens a list `a, b, c` to `a and 2 more`, and a single item like `wordsWithin`. */
export function itemsWithin(list: string, maxBytes: number): string {
  if (byteLength(list) <= maxBytes) return list;
  const items = list.split(', ');
  for (let kept = items.length - 1; kept > 0; kept--) {
    const text = `${items.slice(0, kept).join(', ')} and ${items.length - kept} more`;
    if (byteLength(text) <= maxBytes) return text;
  }
  return cutAtWord(list, maxBytes);
}

/** Shortens text to complete words and an ellipsis. Empty if nothing fits. */
export function wordsWithin(text: string, maxBytes: number): string {
  return byteLength(text) <= maxBytes ? text : cutAtWord(text, maxBytes);
}

function cutAtWord(text: string, maxBytes: number): string {
  const beside = start(text, maxBytes - ELLIPSIS_BYTES);
  if (beside === '') return '';
  const words = /^.*\S(?=\s)/s.exec(beside)?.[0] ?? beside;
  return `${words}${ELLIPSIS}`;
}

function start(text: string, maxBytes: number): string {
  return text.slice(0, UTF8.encodeInto(text, new Uint8Array(Math.max(0, maxBytes))).read);
}
