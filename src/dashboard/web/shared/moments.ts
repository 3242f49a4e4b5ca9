/** When rules were broken, in the time of the stream, which is that of the recording. Pure. */
import { defined } from '../../../lib/objects.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { shareOf, spanOf } from './broken-time.js';
import { type Lane, laneOf } from './lanes.js';
import { titleOf } from './verdicts.js';

export interface Moment {
  readonly id: string;
  readonly title: string;
  readonly severity: ErrorView['severity'];
  readonly lane: Lane;
  readonly fromMs: number;
  readonly toMs: number;
  /** The part of the time for which it was open; absent if it was open without a break. */
  readonly share?: number;
}

/** A point in time is named on the picture for this long. */
const LEAST_MS = 2_000;

/** In the order of the stream. `untilMs`: the end of the broadcast, which ends what was not cleared. */
export function momentsOf(records: readonly ErrorView[], untilMs: number): readonly Moment[] {
  const moments = records.flatMap((record): Moment[] => {
    const { stream_time_ms: fromMs, severity, source } = record;
    if (fromMs === undefined || severity === 'info' || source === 'publish') return [];
    const span = spanOf(record, untilMs);
    const toMs = fromMs + Math.max(LEAST_MS, span.toMs - span.fromMs);
    const share = shareOf(span);
    const title = share === undefined ? titleOf(record) : `${titleOf(record)}, at times`;
    return [{ id: record.id, title, severity, lane: laneOf(record), fromMs, toMs, ...defined({ share }) }];
  });
  return moments.sort((a, b) => a.fromMs - b.fromMs);
}

/** Rules broken at this time, each title once, errors first. */
export function brokenAt(moments: readonly Moment[], atMs: number): readonly Moment[] {
  const now = moments.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  const worstFirst = [...now].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  return [...new Map(worstFirst.map((each) => [each.title, each])).values()];
}
