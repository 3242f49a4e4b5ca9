/** For how long the rules of a row were broken. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import { timeOf } from './verdicts.js';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** From when it was raised to when it was cleared, or to `untilMs`. */
export function spanOf(record: ErrorView, untilMs: number): Span {
  const fromMs = timeOf(record);
  const toMs = record.cleared_time === undefined ? untilMs : Date.parse(record.cleared_time);
  return { fromMs, toMs: Math.max(fromMs, Math.min(toMs, Math.max(untilMs, fromMs))) };
}

/** The time that any of them was open: what overlaps counts once. */
export function brokenMs(records: Iterable<ErrorView>, untilMs: number): number {
  const spans = [...records].map((record) => spanOf(record, untilMs)).sort((a, b) => a.fromMs - b.fromMs);
  let total = 0;
  let endMs = Number.NEGATIVE_INFINITY;
  for (const { fromMs, toMs } of spans) {
    total += Math.max(0, toMs - Math.max(fromMs, endMs));
    endMs = Math.max(endMs, toMs);
  }
  return total;
}
