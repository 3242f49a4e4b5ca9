/**
 * Observed values over time, in a bounded number of points. Pure. A full series merges neighboring points and doubles its
 * step, so that its size stays bounded. A merged point keeps the extremes, since rules judge these.
 */
import { HISTORY_LIMITS } from './limits.js';

/** One point, stored and sent as the columns of `SERIES_COLUMNS`; `null`: unknown. */
export type SeriesPoint = readonly (number | null)[];

/**
 * Columns. `at`: wall time in ms (the first of a merged point). Bitrates are means; video also has its lowest and highest.
 * `frame_rate` is the lowest, `key_frame_interval_ms` the longest of the merged samples.
 */
export const SERIES_COLUMNS = [
  'at',
  'video_kbps',
  'video_kbps_min',
  'video_kbps_max',
  'audio_kbps',
  'frame_rate',
  'key_frame_interval_ms',
  'width',
  'height',
  'frame_rate_class',
] as const;

export type SeriesColumn = (typeof SERIES_COLUMNS)[number];

export interface Series {
  /** Samples per full point. */
  readonly step: number;
  readonly points: readonly SeriesPoint[];
  /** Samples in the last point so far. */
  readonly filled: number;
}

export const EMPTY_SERIES: Series = { step: 1, points: [], filled: 0 };

export interface Sample {
  readonly atMs: number;
  readonly videoKbps: number | undefined;
  readonly audioKbps: number | undefined;
  readonly frameRate: number | undefined;
  readonly keyFrameIntervalMs: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly frameRateClass: number | undefined;
}

function pointOf(sample: Sample): SeriesPoint {
  const video = known(sample.videoKbps, 0);
  return [
    Math.round(sample.atMs),
    video,
    video,
    video,
    known(sample.audioKbps, 1),
    known(sample.frameRate, 2),
    known(sample.keyFrameIntervalMs, 0),
    known(sample.width, 0),
    known(sample.height, 0),
    known(sample.frameRateClass, 0),
  ];
}

function known(value: number | undefined, digits: number): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Number(value.toFixed(digits));
}

/** Appends `samples`, which are in order of time. */
export function withSamples(series: Series, samples: readonly Sample[], limit: number = HISTORY_LIMITS.points): Series {
  let { step, filled } = series;
  let points = [...series.points];
  for (const sample of samples) {
    const point = pointOf(sample);
    const last = points.at(-1);
    // After a gap (no encoder connected) a new point begins, so that charts show the gap.
    const gapMs = 3 * HISTORY_LIMITS.sampleMs * step;
    if (last !== undefined && filled < step && sample.atMs - (last[0] ?? 0) < gapMs) {
      points[points.length - 1] = merged(last, filled, point, 1);
      filled++;
    } else {
      points.push(point);
      filled = 1;
    }
    if (points.length > limit) ({ step, filled, points } = halved({ step, filled, points }));
  }
  return { step, filled, points };
}

function halved(series: Series): { step: number; filled: number; points: SeriesPoint[] } {
  const points: SeriesPoint[] = [];
  for (let at = 0; at < series.points.length; at += 2) {
    const first = series.points[at];
    const second = series.points[at + 1];
    if (first !== undefined) points.push(second === undefined ? first : merged(first, 1, second, 1));
  }
  const odd = series.points.length % 2 === 1;
  return { step: series.step * 2, points, filled: odd ? series.filled : series.step + series.filled };
}

function merged(a: SeriesPoint, weightA: number, b: SeriesPoint, weightB: number): SeriesPoint {
  const mean = (column: number, digits: number): number | null => {
    const left = a[column] ?? null;
    const right = b[column] ?? null;
    if (left === null || right === null) return left ?? right;
    return Number(((left * weightA + right * weightB) / (weightA + weightB)).toFixed(digits));
  };
  const pick = (column: number, of: (...values: number[]) => number): number | null => {
    const values = [a[column] ?? null, b[column] ?? null].filter((value) => value !== null);
    return values.length === 0 ? null : of(...values);
  };
  const last = (column: number): number | null => b[column] ?? a[column] ?? null;
  return [
    a[0] ?? null,
    mean(1, 1),
    pick(2, Math.min),
    pick(3, Math.max),
    mean(4, 1),
    pick(5, Math.min),
    pick(6, Math.max),
    last(7),
    last(8),
    last(9),
  ];
}
