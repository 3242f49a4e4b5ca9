/**
 * All references in one array of items, searched for windows of a stream. Small indexes are scanned; larger ones have an
 * inverted index on the leading bits of each item.
 */
import { INDEX, MATCH, PRINT } from './limits.js';
import { BITS_PER_ITEM, bitErrors, errorBoundsOf, itemsToMs, nextPlace, type Print } from './prints.js';
import { appliesTo, isExcluded, type Reference } from './reference.js';

export interface IndexedReference {
  readonly reference: Reference;
  readonly print: Print;
}

/** A window that is found in a reference. */
export interface WindowHit {
  readonly reference: Reference;
  /** First item of the reference that the window covers. */
  readonly atItem: number;
  readonly errorRate: number;
  /** Errors as a window may have that counts alone. Others count only for a long match. */
  readonly isNear: boolean;
  /** Far fewer of them. */
  readonly isSure: boolean;
  /** It may have more errors than those. */
  readonly isFar: boolean;
  /** The window does not resemble itself. */
  readonly isVaried: boolean;
}

export type IndexLimits = Readonly<Record<'scannedItems' | 'itemsMax' | 'placesMax', number>>;

interface Postings {
  /** By key: start of its places. One more entry ends the last. */
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
}

const SHIFT = 32 - INDEX.keyBits;

export class PrintIndex {
  readonly #references: readonly Reference[];
  /** First item of each reference; one more entry ends the last. */
  readonly #starts: Uint32Array;
  readonly #items: Print;
  readonly #postings: Postings | undefined;
  readonly #placesMax: number;
  /** References that did not fit. */
  readonly omitted: number;

  constructor(indexed: readonly IndexedReference[], limits: IndexLimits = INDEX) {
    const fitting = thatFit(indexed, limits.itemsMax);
    this.#placesMax = limits.placesMax;
    this.omitted = indexed.length - fitting.length;
    this.#references = fitting.map(({ reference }) => reference);
    this.#starts = new Uint32Array(fitting.length + 1);
    for (const [index, { print }] of fitting.entries())
      this.#starts[index + 1] = (this.#starts[index] ?? 0) + print.length;
    this.#items = new Uint32Array(this.#starts[fitting.length] ?? 0);
    for (const [index, { print }] of fitting.entries()) this.#items.set(print, this.#starts[index]);
    if (this.#items.length > limits.scannedItems) this.#postings = postingsOf(this.#items);
  }

  get references(): number {
    return this.#references.length;
  }

  get items(): number {
    return this.#items.length;
  }

  get lengthMs(): number {
    return itemsToMs(this.#items.length);
  }

  get bytes(): number {
    const { starts, places } = this.#postings ?? { starts: [], places: [] };
    return PRINT.bytesPerItem * (this.#items.length + this.#starts.length + starts.length + places.length);
  }

  /** Whether anything is compared with content of this owner. */
  appliesTo(ownerId: string): boolean {
    return this.#references.some((reference) => appliesTo(reference, ownerId));
  }

  /** The best place of `window` in each reference that applies to `ownerId`, the most similar first. */
  find(window: Print, ownerId: string): WindowHit[] {
    const { near, far } = errorBoundsOf(window);
    const bits = window.length * BITS_PER_ITEM;
    const most = Math.floor(bits * Math.max(near, far));
    if (most === 0) return [];
    const best = new Map<number, { at: number; errors: number }>();
    const compare = (reference: number, place: number): void => {
      const bound = (best.get(reference)?.errors ?? most + 1) - 1;
      const errors = bitErrors(window, this.#items, place, bound);
      if (errors > bound || !this.#counts(reference, place, window.length, ownerId)) return;
      best.set(reference, { at: place, errors });
    };
    if (this.#postings === undefined) this.#scan(window, most, compare);
    else this.#lookUp(window, this.#postings, compare);
    return [...best]
      .map(([reference, { at, errors }]) => ({
        reference: this.#references[reference] as Reference,
        atItem: at - (this.#starts[reference] ?? 0),
        errorRate: errors / bits,
        isNear: errors <= bits * near,
        isSure: errors <= bits * near * MATCH.sureShare,
        isVaried: near === MATCH.errorRateMax,
        isFar: far > 0,
      }))
      .sort((a, b) => a.errorRate - b.errorRate)
      .slice(0, INDEX.hitsMax);
  }

  #counts(index: number, place: number, length: number, ownerId: string): boolean {
    const reference = this.#references[index] as Reference;
    const from = place - (this.#starts[index] ?? 0);
    const toMs = itemsToMs(from + length) + PRINT.leadMs;
    return appliesTo(reference, ownerId) && !isExcluded(reference, itemsToMs(from), toMs);
  }

  #scan(window: Print, most: number, compare: (reference: number, place: number) => void): void {
    for (let reference = 0; reference < this.#references.length; reference++) {
      const end = (this.#starts[reference + 1] ?? 0) - window.length + 1;
      let place = this.#starts[reference] ?? 0;
      while (place >= 0) {
        place = nextPlace(window, this.#items, place, end, most);
        if (place < 0) break;
        compare(reference, place);
        place++;
      }
    }
  }

  #lookUp(window: Print, { starts, places }: Postings, compare: (reference: number, place: number) => void): void {
    const keys = Array.from(window, (item, index) => {
      const from = starts[item >>> SHIFT] ?? 0;
      const to = starts[(item >>> SHIFT) + 1] ?? 0;
      return { index, from, to, size: to - from };
    }).sort((a, b) => a.size - b.size);
    let compared = 0;
    for (const { index, from, to, size } of keys) {
      compared += size;
      if (compared > this.#placesMax) return;
      for (let posting = from; posting < to; posting++) {
        const place = (places[posting] ?? 0) - index;
        if (place < 0) continue;
        const reference = this.#referenceAt(place);
        if (place + window.length <= (this.#starts[reference + 1] ?? 0)) compare(reference, place);
      }
    }
  }

  #referenceAt(place: number): number {
    let low = 0;
    let high = this.#references.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= place) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** As many references as fit, in the given order. */
function thatFit(indexed: readonly IndexedReference[], itemsMax: number): IndexedReference[] {
  let items = 0;
  return indexed.filter(({ print }) => {
    if (items + print.length > itemsMax) return false;
    items += print.length;
    return true;
  });
}

/** Counting sort of all places by key. An item that repeats its predecessor is left out: steady sound has thousands. */
function postingsOf(items: Print): Postings {
  const starts = new Uint32Array(2 ** INDEX.keyBits + 1);
  let before = -1;
  let count = 0;
  for (const item of items) {
    if (item !== before) {
      starts[(item >>> SHIFT) + 1] = (starts[(item >>> SHIFT) + 1] ?? 0) + 1;
      count++;
    }
    before = item;
  }
  for (let key = 1; key < starts.length; key++) starts[key] = (starts[key] ?? 0) + (starts[key - 1] ?? 0);
  const next = starts.slice();
  const places = new Uint32Array(count);
  before = -1;
  for (const [place, item] of items.entries()) {
    if (item !== before) {
      const at = next[item >>> SHIFT] ?? 0;
      places[at] = place;
      next[item >>> SHIFT] = at + 1;
    }
    before = item;
  }
  return { starts, places };
}
