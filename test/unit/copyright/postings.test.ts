/** The inverted index: which places it nominates, and how many at most. */
import { INDEX, MATCH } from '../../../src/copyright/limits.js';
import { type PostingLimits, Postings } from '../../../src/copyright/postings.js';
import type { Print } from '../../../src/copyright/prints.js';
import { seededRandom } from '../../support/random.js';

const LENGTH = MATCH.windowItems;

function randomPrint(seed: number, length: number): Print {
  const random = seededRandom(seed);
  return Uint32Array.from({ length }, () => Math.floor(random() * 2 ** 32));
}

/** Built in steps, and how many there were. */
function built(items: Print, limits: PostingLimits = INDEX): { postings: Postings; steps: number } {
  const building = Postings.build(items, limits);
  for (let steps = 0; ; steps++) {
    const { done, value } = building.next();
    if (done === true) return { postings: value, steps };
  }
}

function nominated(postings: Postings, window: Print): number[] {
  const places: number[] = [];
  postings.nominate(window, (place) => places.push(place));
  return places;
}

test('nominates the place of a window of which one key is left', () => {
  const items = randomPrint(1, 5_000);
  const { postings } = built(items);
  const window = randomPrint(2, LENGTH);
  window[17] = items[1_017] as number;
  expect(nominated(postings, window)).toEqual([1_000]);
});

test('a window that is everywhere is compared with a bounded number of places', () => {
  const loop = randomPrint(3, 40);
  const items = Uint32Array.from({ length: 2_000 * 40 }, (_, at) => loop[at % 40] as number);
  const limits = { placesMax: 50_000, comparedMax: 300 };
  const { postings } = built(items, limits);
  const window = Uint32Array.from({ length: LENGTH }, (_, at) => loop[at % 40] as number);
  expect(nominated(postings, window)).toHaveLength(limits.comparedMax);
  // Every key alone has more places than are looked up.
  expect(nominated(built(items, { ...limits, placesMax: 1_000 }).postings, window)).toEqual([]);
});

test('where several keys agree is nominated before the places of one rare key', () => {
  const song = randomPrint(4, LENGTH);
  const random = seededRandom(5);
  // Each item of the song is at 200 places, and all of them together at one.
  const items = Uint32Array.from({ length: 200 * LENGTH }, () => song[Math.floor(random() * LENGTH)] as number);
  items.set(song, 4_321);
  const { postings } = built(items, { placesMax: 50_000, comparedMax: 50 });
  const places = nominated(postings, song);
  expect(places.length).toBeLessThanOrEqual(50);
  expect(places).toContain(4_321);
});

test('is built in steps', () => {
  expect(built(new Uint32Array(3 * INDEX.builtAtOnce)).steps).toBe(6);
});
