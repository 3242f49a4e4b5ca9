/** The index of references: both ways of searching find the same, and what does not apply is not found. */
import fc from 'fast-check';
import { INDEX, MATCH } from '../../../src/copyright/limits.js';
import type { Reference } from '../../../src/copyright/print-index.js';
import { PrintIndex } from '../../../src/copyright/print-index.js';
import { itemsToMs } from '../../../src/copyright/prints.js';
import { seededRandom } from '../../support/random.js';

const LENGTH = MATCH.windowItems;
const INVERTED = { ...INDEX, scannedItems: 0 };

const reference = (videoId: string, more: Partial<Reference> = {}): Reference => ({
  videoId,
  ownerId: 'owner',
  policy: 'monitor',
  excluded: [],
  allowedPages: [],
  ...more,
});

function randomPrint(seed: number, length: number): Uint32Array {
  const random = seededRandom(seed);
  return Uint32Array.from({ length }, () => Math.floor(random() * 2 ** 32));
}

/** The items with this share of their bits inverted, in every second item, so that keys survive. */
function damaged(print: Uint32Array, share: number, seed: number): Uint32Array {
  const random = seededRandom(seed);
  return print.map((item, index) => {
    let changed = item;
    for (let bit = 0; bit < 32; bit++) if (index % 2 === 1 && random() < share * 2) changed ^= 1 << bit;
    return changed >>> 0;
  });
}

test.each(['scanned', 'inverted'])('finds a damaged window at its place, %s', (kind) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 0, max: 300 - LENGTH }),
      fc.integer({ min: 0, max: 4 }),
      (seed, at, which) => {
        const prints = [0, 1, 2, 3, 4].map((index) => randomPrint(seed + index, 300));
        const indexed = prints.map((print, index) => ({ reference: reference(`v${index}`), print }));
        const index = PrintIndex.of(indexed, kind === 'scanned' ? INDEX : INVERTED);
        const window = damaged(prints[which]?.subarray(at, at + LENGTH) as Uint32Array, 0.08, seed);
        const hits = index.find(window, 'another');
        expect(hits.map((hit) => [hit.reference.videoId, hit.atItem])).toEqual([[`v${which}`, at]]);
        expect(hits[0]?.errorRate).toBeLessThanOrEqual(MATCH.errorRateMax);
      },
    ),
    { numRuns: 12 },
  );
});

test.each(['scanned', 'inverted'])('finds nothing in unrelated items, %s', (kind) => {
  const limits = kind === 'scanned' ? INDEX : INVERTED;
  const index = PrintIndex.of([{ reference: reference('v'), print: randomPrint(1, 4_000) }], limits);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1_000_000 }), (seed) => {
      expect(index.find(randomPrint(seed, LENGTH), 'another')).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('finds neither own content, nor that of an owner that allows it, nor excluded ranges', () => {
  const print = randomPrint(7, 300);
  const window = print.subarray(100, 100 + LENGTH);
  const find = (more: Partial<Reference>, owner = 'another') =>
    PrintIndex.of([{ reference: reference('v', more), print }]).find(window, owner).length;
  expect(find({})).toBe(1);
  expect(find({}, 'owner')).toBe(0);
  expect(find({ allowedPages: ['another'] })).toBe(0);
  expect(find({ excluded: [{ fromMs: itemsToMs(110), toMs: itemsToMs(111) }] })).toBe(0);
  expect(find({ excluded: [{ fromMs: 0, toMs: itemsToMs(100) }] })).toBe(1);
});

test('a copy of own or permitted content that was added later gives no claim', () => {
  const print = randomPrint(8, 300);
  const window = print.subarray(100, 100 + LENGTH);
  const copy = reference('copy', { ownerId: 'thief' });
  const find = (references: readonly Reference[], limits = INDEX) =>
    PrintIndex.of(
      references.map((each) => ({ reference: each, print })),
      limits,
    )
      .find(window, 'another')
      .map((hit) => hit.reference.videoId);
  const own = reference('own', { ownerId: 'another' });
  const permitted = reference('permitted', { allowedPages: ['another'] });
  for (const limits of [INDEX, INVERTED]) {
    for (const first of [own, permitted]) expect(find([first, copy], limits)).toEqual([]);
    expect(find([copy, own], limits)).toEqual(['copy']);
    expect(find([reference('original'), own, copy], limits)).toEqual(['original']);
    const excluded = [{ fromMs: itemsToMs(110), toMs: itemsToMs(111) }];
    expect(find([{ ...own, excluded }, copy], limits)).toEqual(['copy']);
  }
});

test('never matches across the border of two references', () => {
  const left = randomPrint(1, 100);
  const right = randomPrint(2, 100);
  const window = Uint32Array.of(...left.subarray(80), ...right.subarray(0, LENGTH - 20));
  for (const limits of [INDEX, INVERTED]) {
    const indexed = [left, right].map((print, index) => ({ reference: reference(`v${index}`), print }));
    expect(PrintIndex.of(indexed, limits).find(window, 'another')).toEqual([]);
  }
});

test('leaves out what does not fit, and reports at most a fixed number of references', () => {
  const print = randomPrint(3, 100);
  const indexed = Array.from({ length: 20 }, (_, index) => ({ reference: reference(`v${index}`), print }));
  const index = PrintIndex.of(indexed, { ...INDEX, itemsMax: 1_050 });
  expect(index.references).toBe(10);
  expect(index.omitted).toBe(10);
  expect(index.find(print.subarray(5, 5 + LENGTH), 'another')).toHaveLength(INDEX.hitsMax);
});

test('compares a bounded number of places, whatever the references repeat', () => {
  const common = randomPrint(5, 40);
  const print = Uint32Array.from({ length: 200_000 }, (_, index) => common[(index * 7) % 40] ?? 0);
  const index = PrintIndex.of([{ reference: reference('v'), print }], INVERTED);
  expect(
    index.find(
      Uint32Array.from({ length: LENGTH }, (_, at) => common[at % 40] ?? 0),
      'another',
    ),
  ).toEqual([]);
});

test('silence, tones, noise and loops in a thousand references match nothing', () => {
  const random = seededRandom(9);
  const loop = Array.from({ length: 12 }, () => Math.floor(random() * 2 ** 32));
  const kinds: readonly ((at: number) => number)[] = [
    () => 627_964_279,
    (at) => (at % 2 === 0 ? 0x12345678 : 0x12345679),
    (at) => loop[at % loop.length] ?? 0,
    () => (random() < 0.1 ? 1 << Math.floor(random() * 32) : 0) >>> 0,
  ];
  const prints = kinds.map((kind) => Uint32Array.from({ length: 200 }, (_, at) => kind(at)));
  const indexed = Array.from({ length: 1_000 }, (_, at) => ({
    reference: reference(`v${at}`),
    print: prints[at % prints.length] as Uint32Array,
  }));
  for (const limits of [INDEX, INVERTED]) {
    const index = PrintIndex.of(indexed, limits);
    for (const print of prints) expect(index.find(print.slice(20, 20 + LENGTH), 'another')).toEqual([]);
  }
});

test('names the owners to whom no reference applies', () => {
  const exempt = (...terms: Partial<Reference>[]) =>
    PrintIndex.of(terms.map((each, at) => ({ reference: reference(`v${at}`, each), print: randomPrint(at, LENGTH) })))
      .exempt;
  expect(exempt()).toEqual([]);
  expect(exempt({}, {})).toEqual(['owner']);
  expect(exempt({ allowedPages: ['friend'] }, {})).toEqual(['owner']);
  expect(exempt({ allowedPages: ['friend'] }, { ownerId: 'friend' })).toEqual(['friend']);
  expect(exempt({}, { ownerId: 'other' })).toEqual([]);
});
