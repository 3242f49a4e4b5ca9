/**
 * When a certificate may be ordered again. What was tried is kept for each set of names, so that neither failures, nor
 * crashes during an order, nor servers with other settings on the same store order more often than authorities allow.
 */
import { ACME_LIMITS } from './limits.js';

/** Names at an authority. Times are wall times in milliseconds. */
export interface Tried {
  readonly set: string;
  /** In a row. An order that is under way counts as one, in case that it is cut off. */
  readonly failures: number;
  readonly nextMs: number;
}

export const setOf = (directory: string, domains: readonly string[]): string =>
  [directory, ...[...domains].sort()].join(' ');

export function triedOf(history: readonly Tried[] | undefined, set: string): Tried | undefined {
  return history?.find((each) => each.set === set);
}

/** The newest first, and bounded. */
export function noted(history: readonly Tried[] | undefined, tried: Tried): readonly Tried[] {
  return [tried, ...(history ?? []).filter(({ set }) => set !== tried.set)].slice(0, ACME_LIMITS.setsKept);
}

export function pauseAfter(failures: number, retryAfterMs: number): number {
  const doubled = ACME_LIMITS.firstRetryMs * 2 ** (failures - 1);
  return Math.max(Math.min(doubled, ACME_LIMITS.longestRetryMs), retryAfterMs);
}

/** A certificate that is due as soon as it comes, because a clock is wrong for example, is not ordered again at once. */
export function pauseAfterIssue(lifeMs: number): number {
  return Math.min(ACME_LIMITS.reissueMs, lifeMs / 2);
}
