/**
 * All references in one array of items, the oldest first, searched for windows of a stream. Small indexes are scanned; larger ones have an
 * inverted index on the leading bits of each item.
 */
import { INDEX, MATCH, PRINT } from './limits.js';
import { type PostingLimits, Postings } from './postings.js';
import {
  BITS_PER_ITEM,
  bitErrors,
  errorBoundsOf,
  isAlike,
  itemsToMs,
  nextPlace,
  type Print,
  screenOf,
  sureErrors,
} from './prints.js';

export const POLICIES = ['monitor', 'block'] as const;
export type Policy = (typeof POLICIES)[number];

/** Part of a reference, in milliseconds from its start. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A reference that an owner monitors: a video, the action on a match, and where it does not apply. */
export interface Reference {
  /** The video that holds the content; also the id of the reference. */
  readonly videoId: string;
  /** The Page that owns it. */
  readonly ownerId: string;
  readonly policy: Policy;
  /** Ranges that are not matched: trailers, jingles, content of others. */
  readonly excluded: readonly Range[];
  /** Pages whose broadcasts and videos are not matched. */
  readonly allowedPages: readonly string[];
}

/** Content of the same owner and of allowed Pages is never matched. */
export function appliesTo(reference: Reference, ownerId: string): boolean {
  return reference.ownerId !== ownerId && !reference.allowedPages.includes(ownerId);
}

export function isExcluded({ excluded }: Reference, fromMs: number, toMs: number): boolean {
  return excluded.some((range) => fromMs < range.toMs && toMs > range.fromMs);
}

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

export type IndexLimits = PostingLimits & Readonly<Record<'scannedItems' | 'itemsMax', number>>;

export class PrintIndex {
  readonly #references: readonly Reference[];
  readonly #byVideo: ReadonlyMap<string, number>;
  /** First item of each reference; one more entry ends the last. */
  readonly #starts: Uint32Array;
  readonly #items: Print;
  #postings: Postings | undefined;
  /** References that did not fit. */
  readonly omitted: number;

  private constructor(fitting: readonly IndexedReference[], omitted: number) {
    this.omitted = omitted;
    this.#references = fitting.map(({ reference }) => reference);
    this.#byVideo = new Map(this.#references.map(({ videoId }, index) => [videoId, index]));
    this.#starts = new Uint32Array(fitting.length + 1);
    for (const [index, { print }] of fitting.entries())
      this.#starts[index + 1] = (this.#starts[index] ?? 0) + print.length;
    this.#items = new Uint32Array(this.#starts[fitting.length] ?? 0);
    for (const [index, { print }] of fitting.entries()) this.#items.set(print, this.#starts[index]);
  }

  static of(indexed: readonly IndexedReference[], limits: IndexLimits = INDEX): PrintIndex {
    const building = PrintIndex.build(indexed, limits);
    for (;;) {
      const { done, value } = building.next();
      if (done === true) return value;
    }
  }

  /** Yields after each part of the work, which takes some milliseconds: a thousand hours take seconds. */
  static *build(indexed: readonly IndexedReference[], limits: IndexLimits = INDEX): Generator<void, PrintIndex> {
    const fitting = thatFit(indexed, limits.itemsMax);
    const made = new PrintIndex(fitting, indexed.length - fitting.length);
    if (made.items > limits.scannedItems) made.#postings = yield* Postings.build(made.#items, limits);
    return made;
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
    return PRINT.bytesPerItem * (this.#items.length + this.#starts.length + (this.#postings?.length ?? 0));
  }

  /** Owners to whose content no reference applies, although there are some. */
  get exempt(): readonly string[] {
    const [first, ...others] = this.#references;
    if (first === undefined) return [];
    return [first.ownerId, ...first.allowedPages].filter((owner) => others.every((each) => !appliesTo(each, owner)));
  }

  /** Whether anything is compared with content of this owner. */
  appliesTo(ownerId: string): boolean {
    return this.#references.some((reference) => appliesTo(reference, ownerId));
  }

  /**
   * The best place of `window` in each reference that applies to `ownerId`, the most similar first. Where the window is also
   * in a reference of the owner or of a Page that allows it, references added later do not count: a copy gives no claim.
   */
  find(window: Print, ownerId: string): WindowHit[] {
    const bounds = errorBoundsOf(window);
    const { near, far } = bounds;
    const bits = window.length * BITS_PER_ITEM;
    const most = Math.floor(bits * Math.max(near, far));
    if (most === 0) return [];
    const best = new Map<number, { at: number; errors: number }>();
    let permitted = this.#references.length;
    const compare = (reference: number, place: number): void => {
      const bound = (best.get(reference)?.errors ?? most + 1) - 1;
      const errors = bitErrors(window, this.#items, place, bound);
      if (reference > permitted || errors > bound || this.#isExcluded(reference, place, window.length)) return;
      if (appliesTo(this.#references[reference] as Reference, ownerId)) best.set(reference, { at: place, errors });
      else permitted = reference;
    };
    if (this.#postings === undefined) this.#scan(window, most, compare);
    else this.#lookUp(window, this.#postings, most, compare);
    return [...best]
      .filter(([reference]) => reference < permitted)
      .map(([reference, { at, errors }]) => ({
        reference: this.#references[reference] as Reference,
        atItem: at - (this.#starts[reference] ?? 0),
        errorRate: errors / bits,
        isNear: errors <= bits * near,
        isSure: errors <= sureErrors(window, bounds),
        isVaried: near === MATCH.errorRateMax,
        isFar: far > 0,
      }))
      .sort((a, b) => a.errorRate - b.errorRate)
      .slice(0, INDEX.hitsMax);
  }

  /** Bit errors of `window` at the best of the items `from` to `to` of a reference; more than `most` if all have more. */
  leastErrors(window: Print, videoId: string, from: number, to: number, most: number): number {
    const reference = this.#byVideo.get(videoId);
    if (reference === undefined) return most + 1;
    const start = this.#starts[reference] ?? 0;
    const last = Math.min(Math.floor(start + to), (this.#starts[reference + 1] ?? 0) - window.length);
    let least = most + 1;
    for (let place = Math.max(start, Math.ceil(start + from)); place <= last; place++) {
      least = Math.min(least, bitErrors(window, this.#items, place, least));
    }
    return least;
  }

  #isExcluded(index: number, place: number, length: number): boolean {
    const from = place - (this.#starts[index] ?? 0);
    const toMs = itemsToMs(from + length) + PRINT.leadMs;
    return isExcluded(this.#references[index] as Reference, itemsToMs(from), toMs);
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

  #lookUp(window: Print, postings: Postings, most: number, compare: (reference: number, place: number) => void): void {
    const screen = screenOf(window);
    const last = this.#items.length - window.length;
    const seen = new Set<number>();
    postings.nominate(window, (place) => {
      if (place > last || !isAlike(screen, window, this.#items, place, most) || seen.has(place)) return;
      seen.add(place);
      const reference = this.#referenceAt(place);
      if (place + window.length <= (this.#starts[reference + 1] ?? 0)) compare(reference, place);
    });
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

/** The first references, in the given order, that fit together. */
function thatFit(indexed: readonly IndexedReference[], itemsMax: number): IndexedReference[] {
  let items = 0;
  return indexed.filter(({ print }) => {
    if (items + print.length > itemsMax) return false;
    items += print.length;
    return true;
  });
}
