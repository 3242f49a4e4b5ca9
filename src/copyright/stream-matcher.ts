/** Joins the hits of consecutive windows of one stream or file to matches. */
import { MATCH, PRINT, STREAM } from './limits.js';
import type { PrintIndex, WindowHit } from './print-index.js';
import { itemsToMs, type Print } from './prints.js';
import type { Reference } from './reference.js';

export interface CopyrightMatch {
  readonly reference: Reference;
  /** Where the match starts in the stream and in the reference. */
  readonly streamMs: number;
  readonly offsetMs: number;
  readonly lengthMs: number;
  /** Mean of its windows. */
  readonly errorRate: number;
  /** 0 to 1: the share of the bits beyond chance that agree. */
  readonly confidence: number;
}

interface Candidate {
  readonly reference: Reference;
  readonly firstMs: number;
  readonly firstItem: number;
  lastMs: number;
  lastItem: number;
  windows: number;
  /** Of `windows`, those that may count alone. */
  near: number;
  /** Of `near`, with few errors. */
  sure: number;
  /** Of `near`, those that do not resemble themselves. */
  varied: number;
  /** Of `windows`, those that may have more errors. */
  far: number;
  errorRates: number;
  /** Windows that were searched since the last that confirmed it. */
  missed: number;
  isReported: boolean;
}

const WINDOW_MS = itemsToMs(MATCH.windowItems);

export class StreamMatcher {
  readonly #ownerId: string;
  #candidates: Candidate[] = [];
  #endMs = Number.NEGATIVE_INFINITY;

  constructor(ownerId: string) {
    this.#ownerId = ownerId;
  }

  /** `startMs`: stream time of the sound of the first item. Returns matches that are confirmed by now and were not before. */
  add(print: Print, startMs: number, index: PrintIndex): CopyrightMatch[] {
    const found: CopyrightMatch[] = [];
    for (let from = 0; from + MATCH.windowItems <= print.length; from += MATCH.windowItems) {
      const windowMs = startMs + itemsToMs(from);
      // Part of it was searched already: two windows of the same sound confirm nothing.
      if (windowMs < this.#endMs - PRINT.itemMs) continue;
      const hits = index.find(print.subarray(from, from + MATCH.windowItems), this.#ownerId);
      this.#endMs = windowMs + WINDOW_MS;
      this.#expire(windowMs);
      for (const hit of hits) {
        const confirmed = this.#confirm(hit, windowMs);
        if (confirmed !== undefined) found.push(confirmed);
      }
    }
    return found;
  }

  /** Matches that were reported and still run or have just ended. */
  running(): CopyrightMatch[] {
    return this.#candidates.filter(({ isReported }) => isReported).map(matchOf);
  }

  /** The last window was found in a reference, and no match with it was reported. */
  get isFollowing(): boolean {
    return this.#candidates.some(({ isReported, missed }) => !isReported && missed === 0);
  }

  /** A reported match outlives the pauses of a stream that takes turns: what was not searched does not end it. */
  #expire(nowMs: number): void {
    for (const candidate of this.#candidates) candidate.missed++;
    this.#candidates = this.#candidates.filter(({ isReported, lastMs, missed }) => {
      const silentMs = isReported ? (missed - 1) * WINDOW_MS : nowMs - lastMs;
      return silentMs <= MATCH.endsAfterMs;
    });
  }

  #confirm(hit: WindowHit, windowMs: number): CopyrightMatch | undefined {
    const known = this.#candidates.find((candidate) => agrees(candidate, hit, windowMs));
    if (known === undefined) {
      this.#open(hit, windowMs);
      return undefined;
    }
    known.lastMs = windowMs;
    known.lastItem = hit.atItem;
    count(known, hit);
    if (known.isReported || !isConfirmed(known)) return undefined;
    known.isReported = true;
    return matchOf(known);
  }

  #open(hit: WindowHit, windowMs: number): void {
    if (this.#candidates.length >= STREAM.candidatesMax) return;
    const { reference, atItem } = hit;
    const at = { firstMs: windowMs, firstItem: atItem, lastMs: windowMs, lastItem: atItem };
    const counts = { windows: 0, near: 0, sure: 0, varied: 0, far: 0, errorRates: 0, missed: 0 };
    const candidate: Candidate = { reference, ...at, ...counts, isReported: false };
    count(candidate, hit);
    this.#candidates.push(candidate);
  }
}

function count(candidate: Candidate, { errorRate, isNear, isSure, isVaried, isFar }: WindowHit): void {
  candidate.windows++;
  candidate.missed = 0;
  candidate.errorRates += errorRate;
  if (isFar) candidate.far++;
  if (!isNear) return;
  candidate.near++;
  if (isSure) candidate.sure++;
  if (isVaried) candidate.varied++;
}

/** A broadcast is never stopped on windows with more errors. */
const isConfirmed = ({ reference, near, sure, varied, far }: Candidate): boolean =>
  sure >= MATCH.windows ||
  varied >= MATCH.windowsVaried ||
  near >= MATCH.windowsUnsure ||
  (reference.policy === 'monitor' && far >= MATCH.far.windows);

/** The same reference, as far ahead in it as in the stream. */
function agrees(candidate: Candidate, { reference, atItem }: WindowHit, windowMs: number): boolean {
  if (candidate.reference.videoId !== reference.videoId) return false;
  const streamItems = (windowMs - candidate.lastMs) / PRINT.itemMs;
  const off = Math.abs(streamItems - (atItem - candidate.lastItem));
  return off <= MATCH.agreeItems + MATCH.agreePart * streamItems;
}

function matchOf(candidate: Candidate): CopyrightMatch {
  const errorRate = candidate.errorRates / candidate.windows;
  return {
    reference: candidate.reference,
    streamMs: Math.round(candidate.firstMs),
    offsetMs: itemsToMs(candidate.firstItem),
    lengthMs: Math.round(candidate.lastMs - candidate.firstMs + WINDOW_MS + PRINT.leadMs),
    errorRate: Number(errorRate.toFixed(4)),
    confidence: Number(Math.max(0, 1 - 2 * errorRate).toFixed(4)),
  };
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
