/**
 * Valid names in the store: ids, edges, members, counters, aliases, lease keys. Both stores have the same limits, so that
 * each accepts the names of the other. Names often come from a request path: a read with an invalid name finds nothing;
 * only a write throws.
 */

/** LMDB keys hold at most 1,978 bytes and up to three names each. */
const NAME_BYTES_MAX = 512;

/** Scores and sequences are exact in a double, in eight bytes and in sixteen digits. */
export const SCORE_MAX = Number.MAX_SAFE_INTEGER - 1;

const UNSTORABLE = /[\0\p{Surrogate}]/u;

export function isName(text: string): boolean {
  if (text.length === 0 || text.length > NAME_BYTES_MAX) return false;
  return !UNSTORABLE.test(text) && (text.length * 3 <= NAME_BYTES_MAX || Buffer.byteLength(text) <= NAME_BYTES_MAX);
}

/** @throws RangeError for text that is empty, over 512 bytes, or contains NUL or a lone surrogate */
export function requireName(text: string, what: string): string {
  if (!isName(text)) throw new RangeError(`${what} must be 1 to ${NAME_BYTES_MAX} bytes of text without NUL`);
  return text;
}

/** @throws RangeError unless an integer from 0 to 2^53 - 2 */
export function requireScore(score: number, what: string): number {
  if (!Number.isSafeInteger(score) || score < 0 || score > SCORE_MAX) {
    throw new RangeError(`${what} must be a non-negative integer`);
  }
  return score;
}
