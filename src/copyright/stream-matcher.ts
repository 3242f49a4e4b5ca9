/** Joins the hits of consecutive windows of one stream or file to matches. */
import {
  agrees,
  type Candidate,
  type CopyrightMatch,
  countWindow,
  isConfirmed,
  matchOf,
  openCandidate,
  WINDOW_MS,
} from './candidate.js';
import { MATCH, PRINT, STREAM } from './limits.js';
import type { PrintIndex, WindowHit } from './print-index.js';
import { itemsToMs, type Print } from './prints.js';
import { type Items, join, SureWindows } from './sure-windows.js';

export type { CopyrightMatch } from './candidate.js';

const NONE: Items = { items: new Uint32Array(), startMs: Number.NEGATIVE_INFINITY };

export class StreamMatcher {
  readonly #ownerId: string;
  #candidates: Candidate[] = [];
  #endMs = Number.NEGATIVE_INFINITY;
  /** The last window. */
  #before = NONE;

  constructor(ownerId: string) {
    this.#ownerId = ownerId;
  }

  /** `startMs`: stream time of the sound of the first item. Returns matches that are confirmed by now and were not before. */
  add(print: Print, startMs: number, index: PrintIndex): CopyrightMatch[] {
    const whole = print.subarray(0, print.length - (print.length % MATCH.windowItems));
    const joined = join(this.#before, { items: whole, startMs });
    for (let from = 0; from < whole.length; from += MATCH.windowItems) {
      const windowMs = startMs + itemsToMs(from);
      // Part of it was searched already: two windows of the same sound confirm nothing.
      if (windowMs < this.#endMs - PRINT.itemMs) continue;
      const hits = index.find(whole.subarray(from, from + MATCH.windowItems), this.#ownerId);
      this.#endMs = windowMs + WINDOW_MS;
      this.#expire(windowMs);
      for (const hit of hits) this.#count(hit, windowMs);
    }
    const last = Math.max(0, whole.length - MATCH.windowItems);
    this.#before = { items: whole.slice(last), startMs: startMs + itemsToMs(last) };
    return this.#confirm(joined, index);
  }

  /** For more items of the stream at any place: they are searched for what is followed only. */
  addBetween(print: Print, startMs: number, index: PrintIndex): CopyrightMatch[] {
    return this.#confirm(join(this.#before, { items: print, startMs }), index);
  }

  /** Stream time up to which items are needed to confirm what is followed; undefined if none are or a window more is. */
  get neededToMs(): number | undefined {
    const ends = this.#open
      .filter(({ sure }) => sure === MATCH.windows - 1)
      .map(({ sureEndMs }) => sureEndMs + WINDOW_MS)
      .filter((endMs) => endMs > this.#endMs && endMs < this.#endMs + WINDOW_MS);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** The last window was found in a reference, with errors that items of slightly other times may not have. */
  get isUnsure(): boolean {
    const endMs = this.#endMs + PRINT.itemMs;
    return this.#open.some(({ near, missed, sureEndMs }) => near > 0 && missed === 0 && sureEndMs + WINDOW_MS <= endMs);
  }

  get #open(): Candidate[] {
    return this.#candidates.filter(({ isReported }) => !isReported);
  }

  /** Matches that were reported and still run or have just ended. */
  running(): CopyrightMatch[] {
    return this.#candidates.filter(({ isReported }) => isReported).map(matchOf);
  }

  /** The last window was found in a reference, and no match with it was reported. */
  get isFollowing(): boolean {
    return this.#open.some(({ missed }) => missed === 0);
  }

  /** A reported match outlives the pauses of a stream that takes turns: what was not searched does not end it. */
  #expire(nowMs: number): void {
    for (const candidate of this.#candidates) candidate.missed++;
    this.#candidates = this.#candidates.filter(({ isReported, lastMs, missed }) => {
      const silentMs = isReported ? (missed - 1) * WINDOW_MS : nowMs - lastMs;
      return silentMs <= MATCH.endsAfterMs;
    });
  }

  #count(hit: WindowHit, windowMs: number): void {
    let candidate = this.#candidates.find((each) => agrees(each, hit, windowMs));
    if (candidate === undefined) {
      if (this.#candidates.length >= STREAM.candidatesMax) return;
      candidate = openCandidate(hit, windowMs);
      this.#candidates.push(candidate);
    }
    countWindow(candidate, hit, windowMs);
  }

  #confirm(joined: Items, index: PrintIndex): CopyrightMatch[] {
    const sure = new SureWindows(joined, index, this.#ownerId);
    const found: CopyrightMatch[] = [];
    for (const candidate of this.#candidates) {
      if (candidate.isReported) continue;
      sure.extend(candidate);
      if (!isConfirmed(candidate)) continue;
      candidate.isReported = true;
      found.push(matchOf(candidate));
    }
    return found;
  }
}

/** All matches of a whole print with the references that apply to its owner. Yields after each window. */
export function* matchesOf(print: Print, ownerId: string, index: PrintIndex): Generator<void, CopyrightMatch[]> {
  const matcher = new StreamMatcher(ownerId);
  const ended = new Map<string, CopyrightMatch>();
  for (let from = 0; from + MATCH.windowItems <= print.length; from += MATCH.windowItems) {
    matcher.add(print.subarray(from, from + MATCH.windowItems), itemsToMs(from), index);
    for (const match of matcher.running()) ended.set(`${match.reference.videoId} ${match.streamMs}`, match);
    yield;
  }
  return [...ended.values()];
}
