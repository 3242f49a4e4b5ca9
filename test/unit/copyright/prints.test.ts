/** Prints: parsing, and which windows are distinctive. */
import fc from 'fast-check';
import { MATCH } from '../../../src/copyright/limits.js';
import { bitCount, bitErrors, isDistinctive, parsePrint, printBytes } from '../../../src/copyright/prints.js';

test('parses little-endian items and drops the bytes of an incomplete one', () => {
  expect([...parsePrint(Uint8Array.of(1, 0, 0, 0x80, 2, 0, 0, 0, 9))]).toEqual([0x80000001, 2]);
});

test('restores any print from its bytes', () => {
  fc.assert(
    fc.property(fc.uint32Array({ maxLength: 200 }), (items) => {
      expect([...parsePrint(printBytes(items))]).toEqual([...items]);
    }),
  );
});

test('counts the bits of any item', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
      expect(bitCount(value)).toBe(value.toString(2).replaceAll('0', '').length);
    }),
  );
});

test('counts differing bits up to the bound, and stops beyond it', () => {
  const window = Uint32Array.of(0, 0, 0);
  const print = Uint32Array.of(7, 1, 0xffffffff, 0);
  expect(bitErrors(window, print, 0, 100)).toBe(36);
  expect(bitErrors(window, print, 0, 2)).toBe(3);
  expect(bitErrors(window, print, 1, 100)).toBe(33);
});

test('skips windows of few distinct items, and windows in which most items repeat', () => {
  const length = MATCH.windowItems;
  const distinct = Uint32Array.from({ length }, (_, index) => index * 77);
  expect(isDistinctive(distinct)).toBe(true);
  expect(isDistinctive(Uint32Array.from({ length }, (_, index) => index % 9))).toBe(false);
  expect(isDistinctive(distinct.map((item, index) => (index < length / 2 ? 5 : item)))).toBe(false);
});
