/**
 * For how long records were open. A record that recurs is open for parts of the time between its first raise and its last
 * clear: every duration and share that is shown is made of those parts. Pure.
 */
import type { RecordBody } from './error-record.js';

export interface OpenTime {
  /** The first raise. */
  readonly fromMs: number;
  /** The last clear; now, or the end of what is looked at, while it is open. */
  readonly toMs: number;
  /** The part of it for which the record was open. */
  readonly openMs: number;
}

type Times = Pick<RecordBody, 'timestampMs' | 'cleared_time_ms' | 'open_ms' | 'opened_ms'>;

/** The intervals that have ended, in ms. A record of an earlier version has none: it counts from its raise to its clear. */
export function endedMs({ timestampMs, cleared_time_ms: clearedMs, open_ms: openMs }: Times): number {
  return openMs ?? (clearedMs === null ? 0 : Math.max(0, clearedMs - timestampMs));
}

/** Start of the interval that has not ended; undefined once the record is cleared. */
export function openSinceMs({
  timestampMs,
  cleared_time_ms: clearedMs,
  opened_ms: openedMs,
}: Times): number | undefined {
  return clearedMs === null ? (openedMs ?? timestampMs) : undefined;
}

export function openTime(record: Times, untilMs: number): OpenTime {
  return openTimeOf(
    record.timestampMs,
    record.cleared_time_ms ?? undefined,
    { endedMs: endedMs(record), sinceMs: openSinceMs(record) },
    untilMs,
  );
}

export function openTimeOf(
  fromMs: number,
  clearedMs: number | undefined,
  open: { readonly endedMs: number; readonly sinceMs: number | undefined },
  untilMs: number,
): OpenTime {
  const toMs = Math.max(fromMs, clearedMs ?? untilMs);
  const lastMs = open.sinceMs === undefined ? 0 : Math.max(0, toMs - open.sinceMs);
  return { fromMs, toMs, openMs: Math.min(open.endedMs + lastMs, toMs - fromMs) };
}

/** 0 to 1, in ten thousandths; 0 of no time. */
export function brokenShare(ms: number, ofMs: number): number {
  return ofMs === 0 ? 0 : Math.round((10_000 * ms) / ofMs) / 10_000;
}

/**
 * Time within the span in which at least one was open. Where records overlap, the one that was open for the larger part of its
 * time counts.
 */
export function brokenMs(
  times: readonly OpenTime[],
  span: { readonly fromMs: number; readonly untilMs: number },
): number {
  const parts = times
    .map(({ fromMs, toMs, openMs }) => ({
      fromMs: Math.max(fromMs, span.fromMs),
      toMs: Math.min(toMs, span.untilMs),
      share: toMs > fromMs ? openMs / (toMs - fromMs) : 0,
    }))
    .filter((part) => part.toMs > part.fromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  const bounds = [...new Set(parts.flatMap((part) => [part.fromMs, part.toMs]))].sort((a, b) => a - b);
  let sum = 0;
  let next = 0;
  let running: typeof parts = [];
  for (const [index, fromMs] of bounds.slice(0, -1).entries()) {
    const toMs = bounds[index + 1] as number;
    running = running.filter((part) => part.toMs > fromMs);
    for (let part = parts[next]; part !== undefined && part.fromMs <= fromMs; part = parts[next]) {
      running.push(part);
      next++;
    }
    sum += (toMs - fromMs) * running.reduce((most, { share }) => Math.max(most, share), 0);
  }
  return Math.round(sum);
}
