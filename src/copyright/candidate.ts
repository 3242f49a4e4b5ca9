/** A reference that a stream may have, from its first window on: what is counted of it, and when it is a match. */
import { MATCH, PRINT } from './limits.js';
import type { Reference, WindowHit } from './print-index.js';
import { itemsToMs } from './prints.js';

export const WINDOW_MS = itemsToMs(MATCH.windowItems);

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

export interface Candidate {
  readonly reference: Reference;
  firstMs: number;
  firstItem: number;
  lastMs: number;
  lastItem: number;
  windows: number;
  /** Those of `windows` that may count alone. */
  near: number;
  /** Windows with few errors, which do not overlap, at any place. */
  sure: number;
  /** End of the last of them. */
  sureEndMs: number;
  /** Those of `near` that do not resemble themselves. */
  varied: number;
  /** Those of `windows` that may have more errors. */
  far: number;
  errorRates: number;
  /** Windows that were searched since the last that confirmed it. */
  missed: number;
  isReported: boolean;
}

export function openCandidate({ reference, atItem }: WindowHit, windowMs: number): Candidate {
  const at = { firstMs: windowMs, firstItem: atItem, lastMs: windowMs, lastItem: atItem };
  const counts = { windows: 0, near: 0, sure: 0, varied: 0, far: 0, errorRates: 0, missed: 0 };
  return { reference, ...at, ...counts, sureEndMs: Number.NEGATIVE_INFINITY, isReported: false };
}

/** Counts a window of a search that covers the stream without overlaps. */
export function countWindow(candidate: Candidate, hit: WindowHit, windowMs: number): void {
  widen(candidate, hit, windowMs);
  candidate.missed = 0;
  if (hit.isFar) candidate.far++;
  if (!hit.isNear) return;
  candidate.near++;
  if (hit.isVaried) candidate.varied++;
}

function widen(candidate: Candidate, { atItem, errorRate }: WindowHit, windowMs: number): void {
  candidate.windows++;
  candidate.errorRates += errorRate;
  if (windowMs < candidate.firstMs) [candidate.firstMs, candidate.firstItem] = [windowMs, atItem];
  if (windowMs > candidate.lastMs) [candidate.lastMs, candidate.lastItem] = [windowMs, atItem];
}

/** Counts a window with few errors, at any place after those that were counted. */
export function countSure(candidate: Candidate, hit: WindowHit, windowMs: number): void {
  widen(candidate, hit, windowMs);
  candidate.sure++;
  candidate.sureEndMs = windowMs + WINDOW_MS;
}

/** A broadcast is never stopped on windows with more errors. */
export const isConfirmed = ({ reference, near, sure, varied, far }: Candidate): boolean =>
  sure >= MATCH.windows ||
  varied >= MATCH.windowsVaried ||
  near >= MATCH.windowsUnsure ||
  (reference.policy === 'monitor' && far >= MATCH.far.windows);

/** Whether the hit is in the candidate's reference, as far ahead in it as in the stream. */
export function agrees(candidate: Candidate, { reference, atItem }: WindowHit, windowMs: number): boolean {
  if (candidate.reference.videoId !== reference.videoId) return false;
  const streamMs = windowMs - candidate.lastMs;
  return Math.abs(streamMs / PRINT.itemMs - (atItem - candidate.lastItem)) <= agreesWithin(streamMs);
}

/** In items. */
export const agreesWithin = (streamMs: number): number =>
  MATCH.agreeItems + (MATCH.agreePart * Math.abs(streamMs)) / PRINT.itemMs;

export function matchOf(candidate: Candidate): CopyrightMatch {
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
