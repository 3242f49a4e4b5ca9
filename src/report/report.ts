/** The report on one broadcast: averages, for how much of it each rule was broken, and its owner's last ones. Pure. */

import { SERIES_COLUMNS, type Series, type SeriesColumn } from '../dashboard/view/health-series.js';
import { filledRemedy } from '../lib/filled-remedy.js';
import { defined } from '../lib/objects.js';
import type { LiveVideoData } from '../lifecycle/documents.js';
import type { StoredObject } from '../ports/index.js';
import { isConnectionLost } from '../spec/ending.js';
import type { StoredRecord } from '../spec/error-record.js';
import { PUBLISHED } from '../spec/house.js';
import { brokenMs, brokenShare, openTime } from '../spec/open-time.js';

export interface BroadcastSources {
  readonly live: StoredObject<LiveVideoData>;
  readonly records: readonly StoredRecord[];
  readonly series: Series;
}

export interface ReportSources extends BroadcastSources {
  readonly nowMs: number;
  /** Ended broadcasts of the same owner before this one, newest first. */
  readonly previous?: readonly BroadcastSources[];
  readonly forwards?: readonly ForwardedReport[];
}

export interface RuleReport {
  readonly error_code: number;
  readonly error_type: string;
  readonly severity: string;
  readonly times: number;
  readonly broken_ms: number;
  readonly broken_share: number;
  readonly is_open: boolean;
  readonly description: string;
  readonly remediation: string;
  readonly causes: readonly number[];
}

export interface ForwardedReport {
  readonly id: string;
  readonly name: string;
  /** Host and port of the target, without its path. */
  readonly target: string;
  readonly state: string;
  /** The sentence of the page. */
  readonly text: string;
  /** Totals of its process: absent while nothing is sent, and after the broadcast. */
  readonly bytes_sent?: number;
  readonly dropped_ms?: number;
}

export interface Average {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** To compare broadcasts by. */
export interface BroadcastSummary {
  readonly id: string;
  readonly title?: string;
  readonly started: string;
  readonly duration_ms: number;
  /** Rules with an error, and the time with at least one open. */
  readonly rules_broken: number;
  readonly broken_ms: number;
  readonly video_kbps?: number;
}

export interface BroadcastReport {
  readonly id: string;
  readonly title?: string;
  readonly status: string;
  readonly end_reason?: string;
  readonly encoder_stopped?: boolean;
  readonly connection_lost?: boolean;
  /** Records of each severity, without refused publishes. */
  readonly errors: number;
  readonly warnings: number;
  readonly started: string;
  /** One of the two: it runs, or is over. */
  readonly until?: string;
  readonly ended?: string;
  readonly duration_ms: number;
  readonly specifications: readonly string[];
  readonly averages: Readonly<Record<string, Average>>;
  readonly rules: readonly RuleReport[];
  /** This one, then the last ones of its owner. */
  readonly compared: readonly BroadcastSummary[];
  /** Those of the broadcast, then those of its owner. */
  readonly forwards: readonly ForwardedReport[];
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

const MEASURES = ['video_kbps', 'audio_kbps', 'frame_rate', 'key_frame_interval_ms'] as const satisfies SeriesColumn[];

export function liveReport(sources: ReportSources): BroadcastReport {
  const { live, records, series, nowMs, previous = [], forwards = [] } = sources;
  const span = spanOf(live, records, series, nowMs);
  const frameRateClass = frameRateClassOf(series);
  const codes = [...new Set(records.map((record) => record.error_code))];
  const rules = codes.map((code) =>
    ruleOf(
      records.filter(({ error_code }) => error_code === code),
      span,
      frameRateClass,
    ),
  );
  const { title, status, endReason } = live.data;
  return {
    id: live.id,
    ...defined({ title }),
    status,
    ...defined({ end_reason: endReason?.text }),
    ...(live.data.isStopped === true && live.data.stream !== 'connected' ? { encoder_stopped: true } : {}),
    ...(isConnectionLost(live.data) ? { connection_lost: true } : {}),
    errors: countOf(records, 'error'),
    warnings: countOf(records, 'warning'),
    started: new Date(span.fromMs).toISOString(),
    [live.data.endedMs === undefined ? 'until' : 'ended']: new Date(span.untilMs).toISOString(),
    duration_ms: span.untilMs - span.fromMs,
    specifications: [
      ...new Set(records.flatMap((record) => (record.source === 'publish' ? [] : [record.spec ?? PUBLISHED]))),
    ],
    averages: Object.fromEntries(MEASURES.flatMap((name) => average(name, series))),
    rules: rules.sort((a, b) => b.broken_ms - a.broken_ms || a.error_code - b.error_code),
    compared: [sources, ...previous].map((each) => summaryOf(each, nowMs)),
    forwards,
  };
}

function countOf(records: readonly StoredRecord[], wanted: StoredRecord['severity']): number {
  return records.filter(({ severity, source }) => severity === wanted && source !== 'publish').length;
}

function summaryOf({ live, records, series }: BroadcastSources, nowMs: number): BroadcastSummary {
  const span = spanOf(live, records, series, nowMs);
  const errors = records.filter(({ severity, source }) => severity === 'error' && source !== 'publish');
  const mean = average('video_kbps', series)[0]?.[1].mean;
  return {
    id: live.id,
    ...defined({ title: live.data.title }),
    started: new Date(span.fromMs).toISOString(),
    duration_ms: span.untilMs - span.fromMs,
    rules_broken: new Set(errors.map(({ error_code: code }) => code)).size,
    broken_ms: brokenWithin(errors, span),
    ...defined({ video_kbps: mean }),
  };
}

/** Time within the span in which at least one of the records was open. */
function brokenWithin(records: readonly StoredRecord[], span: Span): number {
  return brokenMs(
    records.map((record) => openTime(record, span.untilMs)),
    span,
  );
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

function ruleOf(records: readonly StoredRecord[], span: Span, frameRateClass: 30 | 60 | undefined): RuleReport {
  const [newest] = records;
  if (newest === undefined) throw new Error('a rule without records');
  const ownMs = brokenWithin(records, span);
  const lengthMs = span.untilMs - span.fromMs;
  return {
    error_code: newest.error_code,
    error_type: newest.error_type,
    severity: records.some(({ severity }) => severity === 'error') ? 'error' : newest.severity,
    times: records.reduce((sum, { count }) => sum + count, 0),
    broken_ms: ownMs,
    broken_share: brokenShare(ownMs, lengthMs),
    is_open: records.some(({ cleared_time_ms: clearedMs }) => clearedMs === null),
    description: filledRemedy(newest.description, frameRateClass),
    remediation: filledRemedy(newest.remediation, frameRateClass),
    causes: [...new Set(records.flatMap(({ cause }) => (cause === undefined ? [] : [cause])))],
  };
}

/** Undefined if the stream had both, or none that is known. */
function frameRateClassOf({ points }: Series): 30 | 60 | undefined {
  const column = SERIES_COLUMNS.indexOf('frame_rate_class');
  const found = new Set(points.map((point) => point[column]).filter((value) => typeof value === 'number'));
  const [only] = found;
  return found.size === 1 && (only === 30 || only === 60) ? only : undefined;
}

/** Points have equal weight; only the last one may stand for less time. */
function average(name: (typeof MEASURES)[number], { points }: Series): [string, Average][] {
  const column = SERIES_COLUMNS.indexOf(name);
  const values = points.map((point) => point[column]).filter((value): value is number => typeof value === 'number');
  if (values.length === 0) return [];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [[name, { mean: Math.round(mean * 10) / 10, min: Math.min(...values), max: Math.max(...values) }]];
}
