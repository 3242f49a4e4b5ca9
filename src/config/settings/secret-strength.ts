/**
 * Estimates how many bits an attacker must guess to find a secret that a person may have chosen. Random text comes out close
 * to its true strength; repeated parts, sequences and words come out far below their length.
 */

/** Below this, a key from which others are derived can be searched for offline. */
export const MIN_SECRET_BITS = 128;

/** The most frequent pairs of letters in English text: about half of all its pairs, 6 % of random ones. */
const FREQUENT_PAIRS = new Set(
  'th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar ve ra ld ur me ne wa ll tt ff om io ic ro co ri li ch ma el ec ce ee ho wo rd ss pa sw ke ey'.split(
    ' ',
  ),
);
const PAIR_BITS = 1.5;
/** Words and capitalized words, not within longer runs of letters. */
const WORD = /(?<![a-zA-Z])[a-zA-Z][a-z]{2,}(?![a-zA-Z])[^a-zA-Z\d]?/y;
/** One of 4,096 words, with the mark after it. */
const WORD_BITS = 12;
/** A repeated part costs its position and its length. */
const REPEAT_MIN = 3;
const REPEAT_BITS = 8;

export function secretBits(secret: string): number {
  const perCharacter = Math.log2(alphabetOf(secret));
  const lower = secret.toLowerCase();
  let bits = 0;
  for (let at = 0; at < secret.length; ) {
    const repeated = repeatedLength(lower, at);
    if (repeated >= REPEAT_MIN) {
      bits += REPEAT_BITS;
      at += repeated;
      continue;
    }
    const word = wordLength(secret, at);
    if (word > 0) {
      bits += WORD_BITS;
      at += word;
      continue;
    }
    bits += isPredictable(lower, at) ? PAIR_BITS : perCharacter;
    at++;
  }
  return bits;
}

/** Size of the smallest usual alphabet that has all characters of the secret. */
function alphabetOf(secret: string): number {
  if (/^[\da-f-]*$/.test(secret) || /^[\dA-F-]*$/.test(secret)) return 16;
  const classes: readonly [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    // Two or three marks are typical of a pass phrase; random text of all marks is longer than it needs to be.
    [/[^a-zA-Z\d]/, 8],
  ];
  return Math.max(
    2,
    classes.reduce((sum, [pattern, size]) => sum + (pattern.test(secret) ? size : 0), 0),
  );
}

/** Follows from the characters before it: the same again, the next in a sequence, or a frequent pair of letters. */
function isPredictable(text: string, at: number): boolean {
  if (at === 0) return false;
  const step = text.charCodeAt(at) - text.charCodeAt(at - 1);
  return Math.abs(step) <= 1 || FREQUENT_PAIRS.has(text.slice(at - 1, at + 1));
}

function wordLength(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.exec(text)?.[0].length ?? 0;
}

/** Length of the longest part at `at` that occurred earlier. */
function repeatedLength(text: string, at: number): number {
  let length = 0;
  while (at + length < text.length && text.slice(0, at + length).includes(text.slice(at, at + length + 1))) length++;
  return length;
}
