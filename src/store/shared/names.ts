/**
 * What may name something in the store: ids, edges, members, counters, aliases, lease keys. The bound is the same for
 * both stores, so that what one takes the other takes. Names often come from a request path: a read with a name that
 * cannot exist finds nothing; only a write throws.
 */

/** LMDB keys hold at most 1,978 bytes and up to three names each. */
const NAME_BYTES_MAX = 512;

/** Scores and sequences stay exact in a double, in eight bytes and in sixteen digits. */
export const SCORE_MAX = Number.MAX_SAFE_INTEGER - 1;

const UNSTORABLE = /[\0\p{Surrogate}]/u;

export function isName(text: string): boolean {
  if (text.length === 0 || text.length > NAME_BYTES_MAX) return false;
  return !UNSTORABLE.test(text) && (text.length * 3 <= NAME_BYTES_MAX || Buffer.byteLength(text) <= NAME_BYTES_MAX);
}

/** @throws RangeError for text that is empty, over 512 bytes, or holds NUL or half a surrogate pair */
export function requireName(text: string, what: string): string {
  if (!isName(text)) throw new RangeError(`${what} must be 1 to ${NAME_BYTES_MAX} bytes of text without NUL`);
  return text;
}

/** @throws RangeError unless a whole number from 0 to 2^53 - 2 */
export function requireScore(score: number, what: string): number {
  if (!Number.isSafeInteger(score) || score < 0 || score > SCORE_MAX) {
    throw new RangeError(`${what} must be a whole number that is not negative`);
  }
  return score;
}
