/** Cutting text to bytes: where it is cut, and what is never cut. */
import fc from 'fast-check';
import { byteLength, itemsWithin, sentencesWithin } from '../../../src/lib/text.js';

describe('sentences', () => {
  const said = 'The level is 5.2; 4.1 is allowed.';

  test.each([
    ['all of it where it fits to the byte', `${said} Set it lower.`, 47, `${said} Set it lower.`],
    ['the first one where the second does not fit', `${said} Set it lower.`, 46, said],
    ['to its very end', `${said} Set it lower.`, 33, said],
    ['words where no sentence fits: a point in a number ends none', said, 32, 'The level is 5.2; 4.1 is\u2026'],
    ['of any kind', 'Is it? No.', 6, 'Is it?'],
    ['one long word', 'a'.repeat(255), 255, 'a'.repeat(255)],
    ['characters of two bytes', '\u00e9'.repeat(200), 255, `${'\u00e9'.repeat(126)}\u2026`],
    ['characters of four bytes', '\u{1f600}'.repeat(100), 255, `${'\u{1f600}'.repeat(63)}\u2026`],
  ])('%s', (_what, text, maxBytes, shown) => {
    expect(sentencesWithin(text, maxBytes)).toBe(shown);
  });
});

describe('lists', () => {
  test.each([
    ['all of it', 'width, height, level', 20, 'width, height, level'],
    ['with what is left out counted', 'width, height, level', 19, 'width and 2 more'],
    ['words of one that is no list', 'a settings header of another kind', 21, 'a settings header\u2026'],
    ['nothing where nothing fits', 'level', 3, ''],
    ['nothing into nothing', 'level', 0, ''],
    ['no half of a surrogate pair', '\u{1f600}'.repeat(4), 14, '\u{1f600}\u{1f600}\u2026'],
    ['whatever its length', 'level', Number.POSITIVE_INFINITY, 'level'],
  ])('%s', (_what, list, maxBytes, shown) => {
    expect(itemsWithin(list, maxBytes)).toBe(shown);
  });
});

test.each([sentencesWithin, itemsWithin])(
  '%p: never more bytes than asked for, and never half a character',
  (within) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(80), (text, maxBytes) => {
        const shown = within(text, maxBytes);
        expect(byteLength(shown)).toBeLessThanOrEqual(maxBytes);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  },
);
