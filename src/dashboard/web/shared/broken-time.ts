/** For how long records were open, as pages show it. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import { brokenMs as brokenWithin, type OpenTime, openTimeOf } from '../../../spec/open-time.js';
import { timeOf } from './verdicts.js';

/** From when it was raised to when it was cleared, or to `untilMs`, and for how much of that it was open. */
export function spanOf(record: ErrorView, untilMs: number): OpenTime {
  const fromMs = timeOf(record);
  const clearedMs = record.cleared_time === undefined ? undefined : Date.parse(record.cleared_time);
  const sinceMs = clearedMs === undefined ? Date.parse(record.open_since ?? record.timestamp) : undefined;
  // A record of an earlier version of the server does not say for how long it was open.
  const endedMs = record.open_ms ?? (clearedMs === undefined ? 0 : clearedMs - fromMs);
  return openTimeOf(fromMs, clearedMs, { endedMs, sinceMs }, untilMs);
}

/** The part of its time for which it was open: below 1, and undefined if it was open without a break. */
export function shareOf({ fromMs, toMs, openMs }: OpenTime): number | undefined {
  return openMs >= toMs - fromMs ? undefined : openMs / (toMs - fromMs);
}

/** Least opacity, for a rule that was open for little of its time. */
const LEAST_OPACITY = 0.3;

/** Opacity of a mark from raise to clear, which does not say when in between it was open. */
export function opacityOf(share: number | undefined): number {
  return Math.max(LEAST_OPACITY, share ?? 1);
}

/** The time that any of them was open: what overlaps counts once. */
export function brokenMs(records: Iterable<ErrorView>, untilMs: number): number {
  const times = [...records].map((record) => spanOf(record, untilMs));
  return brokenWithin(times, { fromMs: Number.NEGATIVE_INFINITY, untilMs });
}
