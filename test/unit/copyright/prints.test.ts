/** Prints: parsing, and which windows are distinctive. */
import fc from 'fast-check';
import { MATCH } from '../../../src/copyright/limits.js';
import {
  bitCount,
  bitErrors,
  errorBoundsOf,
  type Print,
  parsePrint,
  printBytes,
} from '../../../src/copyright/prints.js';
import { type Random, seededRandom } from '../../support/random.js';

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

const { windowItems: length, errorRateMax } = MATCH;
const nearOf = (window: Print): number => errorBoundsOf(window).near;

test('skips windows of few distinct items, and windows in which most items repeat', () => {
  const distinct = Uint32Array.from({ length }, (_, index) => Math.imul(index + 1, 0x9e3779b1));
  expect(nearOf(distinct)).toBe(errorRateMax);
  expect(nearOf(Uint32Array.from({ length }, (_, index) => index % 9))).toBe(0);
  expect(nearOf(distinct.map((item, index) => (index < length / 2 ? 5 : item)))).toBe(0);
});

test('permits fewer errors the more a window resembles itself', () => {
  const random = seededRandom(3);
  const noisy = (share: number): Print => Uint32Array.from({ length }, () => randomBits(random, share));
  // Each of two items has a bit set with this probability, so that twice as many differ.
  const [steady, similar, varied] = [noisy(0.03), noisy(0.09), noisy(0.25)].map(nearOf);
  expect(steady).toBe(0);
  expect(similar).toBeGreaterThan(0.02);
  expect(similar).toBeLessThan(0.12);
  expect(varied).toBe(errorRateMax);
});

test('permits more errors for a long match in windows that resemble themselves little, and only there', () => {
  const random = seededRandom(5);
  const bounds = [0.03, 0.09, 0.25].map((share) =>
    errorBoundsOf(Uint32Array.from({ length }, () => randomBits(random, share))),
  );
  expect(bounds.map(({ far }) => far > 0)).toEqual([false, false, true]);
  expect(bounds[2]?.far).toBe(MATCH.far.errorRateMax);
});

test('permits no errors in a drum loop', () => {
  const random = seededRandom(4);
  const bar = Array.from({ length: 12 }, () => Math.floor(random() * 2 ** 32));
  expect(nearOf(Uint32Array.from({ length }, (_, index) => bar[index % 12] ?? 0))).toBe(0);
});

function randomBits(random: Random, share: number): number {
  let item = 0;
  for (let bit = 0; bit < 32; bit++) if (random() < share) item |= 1 << bit;
  return item;
}
