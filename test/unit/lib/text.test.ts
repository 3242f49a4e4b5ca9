/** Truncation of text to a number of bytes. */
import fc from 'fast-check';
import { byteLength, itemsWithin, sentencesWithin, wordsWithin } from '../../../src/lib/text.js';

describe('sentences', () => {
  const said = 'The level is 5.2; 4.1 is allowed.';

  test.each([
    ['keeps a text that fits exactly', `${said} Set it lower.`, 47, `${said} Set it lower.`],
    ['keeps the first sentence if the second does not fit', `${said} Set it lower.`, 46, said],
    ['keeps a last sentence that fits exactly', `${said} Set it lower.`, 33, said],
    ['cuts at a word if no sentence fits, and not at a decimal point', said, 32, 'The level is 5.2; 4.1 is\u2026'],
    ['ends a sentence at a question mark', 'Is it? No.', 6, 'Is it?'],
    ['keeps one long word', 'a'.repeat(255), 255, 'a'.repeat(255)],
    ['cuts between characters of two bytes', '\u00e9'.repeat(200), 255, `${'\u00e9'.repeat(126)}\u2026`],
    ['cuts between characters of four bytes', '\u{1f600}'.repeat(100), 255, `${'\u{1f600}'.repeat(63)}\u2026`],
  ])('%s', (_what, text, maxBytes, shown) => {
    expect(sentencesWithin(text, maxBytes)).toBe(shown);
  });
});

describe('lists', () => {
  test.each([
    ['keeps a list that fits', 'width, height, level', 20, 'width, height, level'],
    ['counts the omitted items', 'width, height, level', 19, 'width and 2 more'],
    ['cuts text that is not a list at a word', 'a settings header of another kind', 21, 'a settings header\u2026'],
    ['is empty if nothing fits', 'level', 3, ''],
    ['is empty for zero bytes', 'level', 0, ''],
    ['does not split a surrogate pair', '\u{1f600}'.repeat(4), 14, '\u{1f600}\u{1f600}\u2026'],
    ['accepts an infinite bound', 'level', Number.POSITIVE_INFINITY, 'level'],
  ])('%s', (_what, list, maxBytes, shown) => {
    expect(itemsWithin(list, maxBytes)).toBe(shown);
  });
});

test('words of a text with commas are not taken for items', () => {
  expect(wordsWithin('1 part, at most 3 s, missing', 28)).toBe('1 part, at most 3 s, missing');
  expect(wordsWithin('1 part, at most 3 s, missing', 27)).toBe('1 part, at most 3 s,\u2026');
});

test.each([sentencesWithin, itemsWithin, wordsWithin])(
  '%p never exceeds the bound and never splits a character',
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
