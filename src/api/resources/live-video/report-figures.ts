/** Figures of a session report: how long each rule was broken, and averages and extremes of the observed values. Pure. */
import { CATALOGUE } from '../../../rules/registry/catalogue.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { brokenMs, brokenShare, openTime } from '../../../spec/open-time.js';
import type { ObservedValues } from '../../context/config.js';

/** Wall time of a session, in ms since 1970. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface RuleReport {
  readonly error_code: number;
  readonly error_type: string;
  readonly title: string;
  readonly judged: 'pass' | 'warn' | 'fail' | 'not-judged';
  readonly records: number;
  readonly count: number;
  readonly broken_ms: number;
  /** Share of the session, from 0 to 1. Absent before the session has a length. */
  readonly broken_share?: number;
}

/** One row for each rule of a stream. `judgedCodes`: the rules that had enough data; those without a record passed. */
export function ruleReports(
  records: readonly StoredRecord[],
  judgedCodes: readonly number[],
  span: Span | undefined,
): RuleReport[] {
  return CATALOGUE.filter(({ judgedBy, source }) => judgedBy !== 'file' && source !== 'publish').map((entry) => {
    const own = records.filter((record) => record.error_code === entry.code);
    const isError = own.some(({ severity }) => severity === 'error');
    const ownMs =
      span === undefined
        ? 0
        : brokenMs(
            own.map((record) => openTime(record, span.endMs)),
            { fromMs: span.startMs, untilMs: span.endMs },
          );
    const lengthMs = span === undefined ? 0 : span.endMs - span.startMs;
    return {
      error_code: entry.code,
      error_type: entry.type,
      title: entry.title,
      judged: own.length > 0 ? (isError ? 'fail' : 'warn') : judgedCodes.includes(entry.code) ? 'pass' : 'not-judged',
      records: own.length,
      count: own.reduce((sum, { count }) => sum + count, 0),
      broken_ms: ownMs,
      ...(lengthMs > 0 ? { broken_share: brokenShare(ownMs, lengthMs) } : {}),
    };
  });
}

export interface CauseReport {
  readonly error_code: number;
  readonly error_type: string;
  readonly title: string;
  /** Codes of the records that it explains. */
  readonly explains: readonly number[];
}

/** The causes that records name, in code order. */
export function causesOf(records: readonly StoredRecord[]): CauseReport[] {
  return CATALOGUE.flatMap(({ code, type, title }): CauseReport[] => {
    const explained = records.filter(({ cause }) => cause === code).map(({ error_code: each }) => each);
    if (explained.length === 0) return [];
    return [{ error_code: code, error_type: type, title, explains: [...new Set(explained)].sort((a, b) => a - b) }];
  });
}

export interface Figures {
  readonly average: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Values by name, with the columns that hold their averages and extremes. */
const VALUES = {
  video_bitrate_kbps: ['video_kbps', 'video_kbps_min', 'video_kbps_max'],
  audio_bitrate_kbps: ['audio_kbps', 'audio_kbps', 'audio_kbps'],
  frame_rate: ['frame_rate', 'frame_rate', 'frame_rate'],
  key_frame_interval_ms: ['key_frame_interval_ms', 'key_frame_interval_ms', 'key_frame_interval_ms'],
} as const satisfies Readonly<Record<string, readonly [mean: string, lowest: string, highest: string]>>;

/** A value that was never observed is absent. */
export function figuresOf({ columns, points }: ObservedValues): Readonly<Record<string, Figures>> {
  const column = (name: string): number[] => {
    const at = columns.indexOf(name);
    return points.map((point) => point[at] ?? null).filter((value) => value !== null);
  };
  return Object.fromEntries(
    Object.entries(VALUES).flatMap(([name, [mean, lowest, highest]]): [string, Figures][] => {
      const means = column(mean);
      if (means.length === 0) return [];
      const average = means.reduce((sum, value) => sum + value, 0) / means.length;
      const least = column(lowest).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const most = column(highest).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      return [[name, { average: Number(average.toFixed(2)), lowest: least, highest: most }]];
    }),
  );
}
