/**
 * Windows of a followed reference with few errors. The search for all references covers the stream in windows that join; where one
 * of them is found, the place in its reference is known, and these are looked for at each item.
 */
import { agrees, agreesWithin, type Candidate, countSure } from './candidate.js';
import { MATCH, PRINT, STREAM } from './limits.js';
import type { PrintIndex, WindowHit } from './print-index.js';
import { errorBoundsOf, itemsToMs, type Print, sureErrors } from './prints.js';

/** Items in a row. `startMs`: stream time of the sound of the first. */
export interface Items {
  readonly items: Print;
  readonly startMs: number;
}

/** Gap before a sample that joins another: it starts with the next packet of sound. */
const JOIN_MS = { from: -2, to: 50 } as const;
/** Tolerance of times in whole milliseconds, in items. */
const ROUNDING = 0.05;
/** Bit errors of a sure window that may have the most. */
const MOST = Math.floor(sureErrors(new Uint32Array(MATCH.windowItems), { near: MATCH.errorRateMax, far: 0 }));

/** Both as one if `after` starts where `before` ends; else `after`. */
export function join(before: Items, after: Items): Items {
  const gapMs = after.startMs - before.startMs - itemsToMs(before.items.length);
  if (!(gapMs >= JOIN_MS.from && gapMs <= JOIN_MS.to)) return after;
  const items = new Uint32Array(before.items.length + after.items.length);
  items.set(before.items);
  items.set(after.items, before.items.length);
  return { items, startMs: before.startMs };
}

export class SureWindows {
  readonly #joined: Items;
  readonly #index: PrintIndex;
  readonly #ownerId: string;
  /** By place of the window. */
  readonly #hits = new Map<number, readonly WindowHit[]>();
  /** By place: bit errors up to which the window is sure. */
  readonly #bounds = new Map<number, number>();

  constructor(joined: Items, index: PrintIndex, ownerId: string) {
    this.#joined = joined;
    this.#index = index;
    this.#ownerId = ownerId;
  }

  /** Counts the first that follow those counted before. */
  extend(candidate: Candidate): void {
    const { items, startMs } = this.#joined;
    const sinceSure = Math.ceil((candidate.sureEndMs - startMs) / PRINT.itemMs - ROUNDING);
    for (let at = Math.max(0, sinceSure); at + MATCH.windowItems <= items.length; at++) {
      if (candidate.sure >= MATCH.windows) return;
      const windowMs = startMs + at * PRINT.itemMs;
      const hit = this.#isPlausible(candidate, at, windowMs) ? this.#find(candidate, at, windowMs) : undefined;
      if (hit === undefined) continue;
      countSure(candidate, hit, windowMs);
      at += MATCH.windowItems - 1;
    }
  }

  /** The comparison with one place costs little, the search for all places does not. */
  #isPlausible({ reference, lastItem, lastMs }: Candidate, at: number, windowMs: number): boolean {
    const window = this.#window(at);
    const item = lastItem + (windowMs - lastMs) / PRINT.itemMs;
    const off = agreesWithin(windowMs - lastMs);
    const errors = this.#index.leastErrors(window, reference.videoId, item - off, item + off, MOST);
    return errors <= MOST && errors <= this.#bound(at, window);
  }

  #bound(at: number, window: Print): number {
    const bound = this.#bounds.get(at) ?? sureErrors(window, errorBoundsOf(window));
    this.#bounds.set(at, bound);
    return bound;
  }

  /** Only a search of all references tells whether the place counts. */
  #find(candidate: Candidate, at: number, windowMs: number): WindowHit | undefined {
    let hits = this.#hits.get(at);
    if (hits === undefined && this.#hits.size < STREAM.sureSearches) {
      hits = this.#index.find(this.#window(at), this.#ownerId);
      this.#hits.set(at, hits);
    }
    return hits?.find((hit) => hit.isSure && agrees(candidate, hit, windowMs));
  }

  #window(at: number): Print {
    return this.#joined.items.subarray(at, at + MATCH.windowItems);
  }
}
