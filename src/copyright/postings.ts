/**
 * Inverted index of the items of all references: where each key, the leading bits of an item, occurs. A look-up counts how
 * many keys of a window point at the same place and nominates the places with most of them, since comparing a place costs
 * more than counting it: its items are somewhere else in memory each time.
 */
import { INDEX } from './limits.js';
import type { Print } from './prints.js';

export type PostingLimits = Readonly<Record<'placesMax' | 'comparedMax', number>>;

/** Places of one key of a window. */
interface KeyPlaces {
  /** Index of the key in the window. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

const SHIFT = 32 - INDEX.keyBits;
/** More votes are not told apart. */
const VOTES_MAX = 7;

export class Postings {
  /** By key: start of its places. One more entry ends the last. */
  readonly #starts: Uint32Array;
  readonly #places: Uint32Array;
  /** By a hash of the place. Two places with the same hash share their votes, so a few are nominated without need. */
  readonly #votes = new Uint8Array(2 ** INDEX.voteBits);
  readonly #limits: PostingLimits;

  private constructor(places: SortedPlaces, limits: PostingLimits) {
    this.#limits = limits;
    this.#starts = places.starts;
    this.#places = places.places;
  }

  /** Yields after each part of the work. */
  static *build(items: Print, limits: PostingLimits): Generator<void, Postings> {
    return new Postings(yield* sorted(items), limits);
  }

  get length(): number {
    return this.#starts.length + this.#places.length;
  }

  /** Calls `visit` with places at which the window may be, some of them repeatedly. They may reach beyond the last item. */
  nominate(window: Print, visit: (place: number) => void): void {
    const keys = this.#rarest(window);
    const counts = this.#count(keys);
    const { comparedMax } = this.#limits;
    let [enough, above] = [VOTES_MAX, counts[VOTES_MAX] ?? 0];
    while (enough > 1 && above + (counts[enough - 1] ?? 0) <= comparedMax) {
      enough--;
      above += counts[enough] ?? 0;
    }
    let left = Math.min(above, comparedMax);
    // Places with fewer votes, from the rarest keys on.
    let others = comparedMax - left;
    for (const { index, from, to } of keys) {
      for (let posting = from; posting < to; posting++) {
        const place = (this.#places[posting] as number) - index;
        if (place < 0) continue;
        if ((this.#votes[hash(place)] as number) >= enough ? left-- > 0 : others-- > 0) visit(place);
      }
      if (left <= 0 && others <= 0) return;
    }
  }

  /** The keys of a window, the rarest first, with at most `placesMax` places. */
  #rarest(window: Print): KeyPlaces[] {
    const keys = Array.from(window, (item, index) => {
      const from = this.#starts[item >>> SHIFT] ?? 0;
      return { index, from, to: this.#starts[(item >>> SHIFT) + 1] ?? 0 };
    }).sort((a, b) => a.to - a.from - (b.to - b.from));
    let places = 0;
    const end = keys.findIndex(({ from, to }) => {
      places += to - from;
      return places > this.#limits.placesMax;
    });
    return end < 0 ? keys : keys.slice(0, end);
  }

  /** Counts the votes. Returns how many postings have each number of them. */
  #count(keys: readonly KeyPlaces[]): Uint32Array {
    const votes = this.#votes.fill(0);
    for (const { index, from, to } of keys) {
      for (let posting = from; posting < to; posting++) {
        const at = hash((this.#places[posting] as number) - index);
        const known = votes[at] as number;
        if (known < VOTES_MAX) votes[at] = known + 1;
      }
    }
    const counts = new Uint32Array(VOTES_MAX + 1);
    for (const { index, from, to } of keys) {
      for (let posting = from; posting < to; posting++) {
        const known = votes[hash((this.#places[posting] as number) - index)] as number;
        counts[known] = (counts[known] as number) + 1;
      }
    }
    return counts;
  }
}

const hash = (place: number): number => Math.imul(place, 0x9e3779b1) >>> (32 - INDEX.voteBits);

interface SortedPlaces {
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
}

/** Counting sort of all places by key. An item that repeats its predecessor is left out: steady sound has thousands. */
function* sorted(items: Print): Generator<void, SortedPlaces> {
  const starts = new Uint32Array(2 ** INDEX.keyBits + 1);
  for (let from = 0; from < items.length; from += INDEX.builtAtOnce) {
    countKeys(items, from, starts);
    yield;
  }
  for (let key = 1; key < starts.length; key++) starts[key] = (starts[key] as number) + (starts[key - 1] as number);
  const places = new Uint32Array(starts.at(-1) ?? 0);
  const ends = starts.slice();
  for (let from = 0; from < items.length; from += INDEX.builtAtOnce) {
    putPlaces(items, from, ends, places);
    yield;
  }
  return { starts, places };
}

function countKeys(items: Print, from: number, counts: Uint32Array): void {
  const to = Math.min(items.length, from + INDEX.builtAtOnce);
  for (let place = from; place < to; place++) {
    const item = items[place] as number;
    if (item === items[place - 1]) continue;
    const next = (item >>> SHIFT) + 1;
    counts[next] = (counts[next] as number) + 1;
  }
}

function putPlaces(items: Print, from: number, ends: Uint32Array, places: Uint32Array): void {
  const to = Math.min(items.length, from + INDEX.builtAtOnce);
  for (let place = from; place < to; place++) {
    const item = items[place] as number;
    if (item === items[place - 1]) continue;
    const key = item >>> SHIFT;
    const at = ends[key] as number;
    places[at] = place;
    ends[key] = at + 1;
  }
}
