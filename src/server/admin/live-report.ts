/** What `airlock live report` shows of one broadcast: averages, and for how much of it each rule was broken. Pure. */
import type { LiveVideoData } from '../../broadcast/documents.js';
import { SERIES_COLUMNS, type Series, type SeriesColumn } from '../../dashboard/view/health-series.js';
import type { StoredObject } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { PUBLISHED } from '../../spec/house.js';

export interface ReportSources {
  readonly live: StoredObject<LiveVideoData>;
  readonly records: readonly StoredRecord[];
  readonly series: Series;
  readonly nowMs: number;
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

const MEASURES = ['video_kbps', 'audio_kbps', 'frame_rate', 'key_frame_interval_ms'] as const satisfies SeriesColumn[];

export function liveReport({ live, records, series, nowMs }: ReportSources) {
  const span = spanOf(live, records, series, nowMs);
  const codes = [...new Set(records.map((record) => record.error_code))];
  const rules = codes.map((code) =>
    ruleOf(
      records.filter(({ error_code }) => error_code === code),
      span,
    ),
  );
  const { title, status, endReason } = live.data;
  return {
    id: live.id,
    ...(title === undefined ? {} : { title }),
    status,
    ...(endReason === undefined ? {} : { end_reason: endReason.text }),
    started: new Date(span.fromMs).toISOString(),
    [live.data.endedMs === undefined ? 'until' : 'ended']: new Date(span.untilMs).toISOString(),
    duration_ms: span.untilMs - span.fromMs,
    specifications: [
      ...new Set(records.flatMap((record) => (record.source === 'publish' ? [] : [record.spec ?? PUBLISHED]))),
    ],
    averages: Object.fromEntries(MEASURES.flatMap((name) => average(name, series))),
    rules: rules.sort((a, b) => b.broken_ms - a.broken_ms || a.error_code - b.error_code),
  };
}

/** From going live, or the first that is known of the broadcast, to its end or now. */
function spanOf(
  { createdMs, data }: StoredObject<LiveVideoData>,
  records: readonly StoredRecord[],
  { points }: Series,
  nowMs: number,
): Span {
  const known = [points[0]?.[0], ...records.map((record) => record.timestampMs)].filter(
    (ms): ms is number => typeof ms === 'number',
  );
  const untilMs = data.endedMs ?? nowMs;
  const fromMs = data.broadcastStartMs ?? (known.length === 0 ? createdMs : Math.min(...known));
  return { fromMs: Math.min(fromMs, untilMs), untilMs };
}

function ruleOf(records: readonly StoredRecord[], span: Span) {
  const [newest] = records;
  if (newest === undefined) throw new Error('a rule without records');
  const brokenMs = coveredMs(
    records.map(({ timestampMs, cleared_time_ms: clearedMs }) => ({
      fromMs: Math.max(timestampMs, span.fromMs),
      untilMs: Math.min(clearedMs ?? span.untilMs, span.untilMs),
    })),
  );
  const lengthMs = span.untilMs - span.fromMs;
  return {
    error_code: newest.error_code,
    error_type: newest.error_type,
    severity: records.some(({ severity }) => severity === 'error') ? 'error' : newest.severity,
    times: records.reduce((sum, { count }) => sum + count, 0),
    broken_ms: brokenMs,
    broken_share: lengthMs === 0 ? 0 : Math.round((brokenMs / lengthMs) * 1000) / 1000,
    is_open: records.some(({ cleared_time_ms: clearedMs }) => clearedMs === null),
    description: newest.description,
    remediation: newest.remediation,
    causes: [...new Set(records.flatMap(({ cause }) => (cause === undefined ? [] : [cause])))],
  };
}

/** Length of the union: records of one rule may overlap across tracks. */
function coveredMs(spans: readonly Span[]): number {
  let coveredUntilMs = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const { fromMs, untilMs } of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    sum += Math.max(0, untilMs - Math.max(fromMs, coveredUntilMs));
    coveredUntilMs = Math.max(coveredUntilMs, untilMs);
  }
  return sum;
}

/** Points have equal weight; only the last one may stand for less time. */
function average(name: (typeof MEASURES)[number], { points }: Series): [string, object][] {
  const column = SERIES_COLUMNS.indexOf(name);
  const values = points.map((point) => point[column]).filter((value): value is number => typeof value === 'number');
  if (values.length === 0) return [];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [[name, { mean: Math.round(mean * 10) / 10, min: Math.min(...values), max: Math.max(...values) }]];
}
