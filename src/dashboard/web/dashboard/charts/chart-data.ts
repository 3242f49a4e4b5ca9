/** Converts stored points and error records to chart data. Pure. */
import { defined } from '../../../../lib/objects.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import type { LiveSpecification } from '../../../../spec/live.js';
import type { HealthView } from '../../../view/protocol.js';
import { shareOf, spanOf } from '../../shared/broken-time.js';
import { number } from '../../shared/format.js';
import type { Gap } from '../../shared/lanes.js';
import { SPEC_ROWS } from '../../shared/spec-rows.js';

/** Answer of `/dashboard/data/history/{id}`. */
export interface History {
  readonly columns: readonly string[];
  readonly step_ms: number;
  readonly points: readonly (readonly (number | null)[])[];
  /** The stream as it was when its encoder last disconnected. */
  readonly last_stream?: HealthView;
}

export type Line = (number | null)[];

/** The allowed range of a chart. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly what: string;
  /** Recommended value inside the band. */
  readonly target?: number;
}

export interface ChartBounds {
  /** Absent while the size of the picture is not known. */
  readonly video?: Band;
  readonly keyFrameInterval: Band;
  readonly frameRate: Band;
  readonly audio: Band;
}

export function chartBounds(
  { keyFrameInterval, audio }: Pick<LiveSpecification, 'keyFrameInterval' | 'audio'>,
  highestFps: number,
  range: { readonly minKbps: number; readonly maxKbps: number } | undefined,
): ChartBounds {
  const what = 'allowed';
  const { maxMs, recommendedMs } = keyFrameInterval;
  return {
    ...(range === undefined ? {} : { video: { from: range.minKbps, to: range.maxKbps, what } }),
    keyFrameInterval: { from: 0, to: maxMs / 1000, what, target: recommendedMs / 1000 },
    frameRate: { from: 0, to: highestFps, what },
    audio: { from: 0, to: audio.bitrateKbps.max, what, target: audio.bitrateKbps.preferred },
  };
}

/** The bounds of a chart by their names, from the highest to the lowest. */
export function limitsOf(band: Band | undefined): readonly (readonly [number, string])[] {
  if (band === undefined) return [];
  const { from, to, target } = band;
  const limits: (readonly [number, string])[] = [
    [to, `at most ${number(to)}`],
    ...(target === undefined ? [] : [[target, `${number(target)} recommended`] as const]),
    ...(from > 0 ? [[from, `at least ${number(from)}`] as const] : []),
  ];
  return limits.sort(([a], [b]) => b - a);
}

/** Moves ascending positions of labels apart by at least `step`: downwards, and upwards again from `bottom`. */
export function apart(positions: readonly number[], step: number, bottom: number): readonly number[] {
  const down: number[] = [];
  for (const each of positions) down.push(Math.max(each, (down.at(-1) ?? Number.NEGATIVE_INFINITY) + step));
  let lowest = bottom;
  const up = down.toReversed().map((each) => {
    const placed = Math.min(each, lowest);
    lowest = placed - step;
    return placed;
  });
  return up.toReversed();
}

/** A longer pause between points is drawn as a gap. */
const GAP_STEPS = 4;

export function lines(history: History, sinceMs: number): { readonly times: number[]; column(name: string): Line } {
  const at = history.columns.indexOf('at');
  const shown: (readonly (number | null)[])[] = [];
  let formerMs: number | undefined;
  const gap: (number | null)[] = history.columns.map(() => null);
  for (const point of history.points) {
    const timeMs = point[at] ?? 0;
    if (timeMs < sinceMs) continue;
    if (formerMs !== undefined && timeMs - formerMs > GAP_STEPS * history.step_ms) {
      shown.push(gap.with(at, formerMs + history.step_ms));
    }
    shown.push(point);
    formerMs = timeMs;
  }
  return {
    times: shown.map((point) => (point[at] ?? 0) / 1000),
    column(name) {
      const index = history.columns.indexOf(name);
      return shown.map((point) => point[index] ?? null);
    },
  };
}

/** Pauses between points, and from the last one to `untilMs`: no stream was received. */
export function gapsOf({ columns, points, step_ms: stepMs }: History, untilMs: number): readonly Gap[] {
  const at = columns.indexOf('at');
  const times = [...points.map((point) => point[at] ?? 0), untilMs];
  return times.flatMap((toMs, index) => {
    const fromMs = times[index - 1];
    return fromMs === undefined || toMs - fromMs <= GAP_STEPS * stepMs ? [] : [{ fromMs: fromMs + stepMs, toMs }];
  });
}

export interface Mark {
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly record: ErrorView;
  /** The part of the time for which it was open; absent if it was open without a break. */
  readonly share?: number;
}

/** Periods from raise to clear of the records of `rowIds`, drawn behind the line. */
export function marks(records: Iterable<ErrorView>, rowIds: readonly string[], nowMs: number): readonly Mark[] {
  const codes = new Set(SPEC_ROWS.filter((row) => rowIds.includes(row.id)).flatMap((row) => row.codes));
  return [...records].flatMap((record): Mark[] => {
    if (!codes.has(record.error_code) || record.severity === 'info') return [];
    const span = spanOf(record, nowMs);
    const [from, to] = [span.fromMs / 1_000, span.toMs / 1_000];
    return [{ from, to, severity: record.severity, record, ...defined({ share: shareOf(span) }) }];
  });
}

export interface Summary {
  readonly lowest: number;
  readonly highest: number;
  readonly last: number;
  readonly mean: number;
}

export function summary(line: Line): Summary | undefined {
  const known = line.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return { lowest: Math.min(...known), highest: Math.max(...known), last, mean };
}
