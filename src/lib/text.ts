/** Text that has to fit into so many bytes of UTF-8. Never half a character, and as far as possible nothing half said. */

/** What every client shows of a description: ffmpeg cuts it here (rtmp-clients, section 3). */
export const SHOWN_BYTES = 255;

const ELLIPSIS = '\u2026';
const UTF8 = new TextEncoder();
const ELLIPSIS_BYTES = byteLength(ELLIPSIS);

export function byteLength(text: string): number {
  return UTF8.encode(text).length;
}

/** The first whole sentences; where not even one fits, whole words and an ellipsis. */
export function sentencesWithin(text: string, maxBytes: number): string {
  const fits = start(text, maxBytes);
  if (fits === text) return text;
  // With the blank behind it: only that tells the end of a sentence from the point in a number.
  const sentences = /^.*\S[.!?](?=\s)/s.exec(text.slice(0, fits.length + 1))?.[0];
  return sentences ?? cutAtWord(text, maxBytes);
}

/** A list of `a, b, c` that is too long says how much more there is; anything else is cut at a word. Empty where nothing fits. */
export function itemsWithin(list: string, maxBytes: number): string {
  if (byteLength(list) <= maxBytes) return list;
  const items = list.split(', ');
  for (let kept = items.length - 1; kept > 0; kept--) {
    const text = `${items.slice(0, kept).join(', ')} and ${items.length - kept} more`;
    if (byteLength(text) <= maxBytes) return text;
  }
  return cutAtWord(list, maxBytes);
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
