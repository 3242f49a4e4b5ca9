/** The report on one broadcast: averages, for how much of it each rule was broken, and its owner's last ones. Pure. */

import { SERIES_COLUMNS, type Series, type SeriesColumn } from '../dashboard/view/health-series.js';
import { filledRemedy } from '../lib/filled-remedy.js';
import { defined } from '../lib/objects.js';
import type { LiveVideoData } from '../lifecycle/documents.js';
import type { StoredObject, StreamHealth } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
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
  /** The last stream; absent: not known any more. */
  readonly stream?: StreamReport;
  /** A picture of the broadcast as a `data:` URL. */
  readonly picture?: string;
  readonly titles?: ReadonlyMap<number, string>;
  /** Ended broadcasts of the same owner before this one, newest first. */
  readonly previous?: readonly BroadcastSources[];
  readonly forwards?: readonly ForwardedReport[];
  readonly inputs?: readonly InputSource[];
}

/** One of two input streams. */
export interface InputSource {
  readonly id: string;
  /** Health of the stream now, or when its encoder left. */
  readonly health?: StreamHealth;
  /** On air now, or at the end of the broadcast. */
  readonly isOnAir: boolean;
}

export interface RuleReport {
  readonly error_code: number;
  readonly error_type: string;
  /** Name on the pages. */
  readonly title?: string;
  readonly severity: string;
  readonly times: number;
  readonly broken_ms: number;
  readonly broken_share: number;
  readonly is_open: boolean;
  readonly description: string;
  readonly remediation: string;
  readonly causes: readonly number[];
  /** When it was broken, from raise to clear, in ms from the start: what lies close together is one span. */
  readonly spans?: readonly (readonly [number, number])[];
}

/** The stream as its encoder last sent it. */
export interface StreamReport {
  readonly encoder?: string;
  readonly width?: number;
  readonly height?: number;
  readonly frame_rate?: number;
  readonly video_codec?: string;
  readonly h264_level_idc?: number;
  readonly audio_codec?: string;
  readonly sample_rate?: number;
  readonly channels?: number;
}

/** Values over time; `null` where nothing was measured. */
export interface TimelineReport {
  readonly columns: readonly string[];
  /** The first value is the time in ms from the start. */
  readonly points: readonly (readonly (number | null)[])[];
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

export interface InputReport {
  readonly id: string;
  readonly input: 'primary' | 'backup';
  /** Now, or at the end of the broadcast. */
  readonly on_air: boolean;
  readonly connected: boolean;
  readonly encoder?: string;
  /** The stream as sent: size, frame rate, bitrate, sample rate. */
  readonly sent?: string;
  /** How often it went on air in place of the other one. */
  readonly times_put_on_air: number;
  readonly errors: number;
  readonly warnings: number;
  /** Time with at least one error open. */
  readonly broken_ms: number;
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
  readonly ended_by_owner?: boolean;
  /** Records of each severity, without refused publishes. */
  readonly errors: number;
  readonly warnings: number;
  readonly started: string;
  /** One of the two: it runs, or is over. */
  readonly until?: string;
  readonly ended?: string;
  readonly duration_ms: number;
  readonly specifications: readonly string[];
  readonly stream?: StreamReport;
  readonly picture?: string;
  readonly averages: Readonly<Record<string, Average>>;
  readonly timeline?: TimelineReport;
  readonly rules: readonly RuleReport[];
  /** This one, then the last ones of its owner. */
  readonly compared: readonly BroadcastSummary[];
  /** Those of the broadcast, then those of its owner. */
  readonly forwards: readonly ForwardedReport[];
  /** The primary input stream and the backup; empty where there is one. */
  readonly inputs: readonly InputReport[];
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

const MEASURES = ['video_kbps', 'audio_kbps', 'frame_rate', 'key_frame_interval_ms'] as const satisfies SeriesColumn[];

export function liveReport(sources: ReportSources): BroadcastReport {
  const { live, records, series, nowMs, previous = [], forwards = [], inputs = [] } = sources;
  const span = spanOf(live, records, series, nowMs);
  const frameRateClass = frameRateClassOf(series);
  const codes = [...new Set(records.map((record) => record.error_code))];
  const rules = codes.map((code) =>
    ruleOf(
      records.filter(({ error_code }) => error_code === code),
      span,
      frameRateClass,
      sources.titles?.get(code),
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
    ...(isEndedByOwner(live.data) ? { ended_by_owner: true } : {}),
    errors: countOf(records, 'error'),
    warnings: countOf(records, 'warning'),
    started: new Date(span.fromMs).toISOString(),
    [live.data.endedMs === undefined ? 'until' : 'ended']: new Date(span.untilMs).toISOString(),
    duration_ms: span.untilMs - span.fromMs,
    specifications: [
      ...new Set(records.flatMap((record) => (record.source === 'publish' ? [] : [record.spec ?? PUBLISHED]))),
    ],
    ...defined({ stream: sources.stream, picture: sources.picture }),
    averages: Object.fromEntries(MEASURES.flatMap((name) => average(name, series))),
    ...(series.points.length < 2 ? {} : { timeline: timelineOf(series, span) }),
    rules: rules.sort((a, b) => b.broken_ms - a.broken_ms || a.error_code - b.error_code),
    compared: [sources, ...previous].map((each) => summaryOf(each, nowMs)),
    forwards,
    inputs: inputs.map((each, index) => inputOf(each, index === 0 ? 'primary' : 'backup', records, span)),
  };
}

/** Headlines name the encoder or the connection first. */
function isEndedByOwner({ broadcastStartMs, endedMs, endReason }: LiveVideoData): boolean {
  return broadcastStartMs !== undefined && endedMs !== undefined && endReason === undefined;
}

function inputOf(
  { id, health, isOnAir }: InputSource,
  input: InputReport['input'],
  records: readonly StoredRecord[],
  span: Span,
): InputReport {
  const own = records.filter(({ input_stream }) => input_stream === id);
  const switches = own.filter(({ error_code: code }) => code === SERVICE_CODES.backupOnAir);
  const errors = own.filter(({ severity }) => severity === 'error');
  return {
    id,
    input,
    on_air: isOnAir,
    connected: health?.connected === true,
    ...(health === undefined ? {} : { encoder: health.encoder, sent: sentOf(health) }),
    times_put_on_air: switches.reduce((sum, { count }) => sum + count, 0),
    errors: errors.length,
    warnings: countOf(own, 'warning') - switches.length,
    broken_ms: brokenWithin(errors, span),
  };
}

function sentOf({ width, height, frameRate, videoBitrateKbps, sampleRate }: StreamHealth): string {
  return [
    width === undefined || height === undefined ? '' : `${width}×${height}`,
    frameRate === undefined ? '' : `${Math.round(frameRate * 10) / 10} fps`,
    videoBitrateKbps === undefined ? '' : `${Math.round(videoBitrateKbps)} kbps`,
    sampleRate === undefined ? '' : `${sampleRate / 1_000} kHz`,
  ]
    .filter((part) => part !== '')
    .join(', ');
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

function ruleOf(
  records: readonly StoredRecord[],
  span: Span,
  frameRateClass: 30 | 60 | undefined,
  title: string | undefined,
): RuleReport {
  const [newest] = records;
  if (newest === undefined) throw new Error('a rule without records');
  const ownMs = brokenWithin(records, span);
  const lengthMs = span.untilMs - span.fromMs;
  return {
    error_code: newest.error_code,
    error_type: newest.error_type,
    ...defined({ title }),
    severity: records.some(({ severity }) => severity === 'error') ? 'error' : newest.severity,
    times: records.reduce((sum, { count }) => sum + count, 0),
    broken_ms: ownMs,
    broken_share: brokenShare(ownMs, lengthMs),
    is_open: records.some(({ cleared_time_ms: clearedMs }) => clearedMs === null),
    description: filledRemedy(newest.description, frameRateClass),
    remediation: filledRemedy(newest.remediation, frameRateClass),
    causes: [...new Set(records.flatMap(({ cause }) => (cause === undefined ? [] : [cause])))],
    spans: spansOf(records, span),
  };
}

/** Closer than this part of the broadcast is not told apart on paper. */
const SPAN_PARTS = 300;

function spansOf(records: readonly StoredRecord[], { fromMs, untilMs }: Span): readonly (readonly [number, number])[] {
  const nearMs = (untilMs - fromMs) / SPAN_PARTS;
  const times = records
    .map((record) => [record.timestampMs - fromMs, (record.cleared_time_ms ?? untilMs) - fromMs] as const)
    .sort(([a], [b]) => a - b);
  const spans: [number, number][] = [];
  for (const [from, to] of times) {
    const last = spans.at(-1);
    if (last !== undefined && from - last[1] <= nearMs) last[1] = Math.max(last[1], to);
    else spans.push([Math.max(0, from), to]);
  }
  return spans;
}

/** Points of a chart on paper. */
const TIMELINE_POINTS = 240;

/** Neighboring points of a long broadcast are joined: means, but the lowest frame rate and the longest key frame interval. */
function timelineOf({ points }: Series, { fromMs }: Span): TimelineReport {
  const each = Math.ceil(points.length / TIMELINE_POINTS);
  const columns = MEASURES.map((name) => SERIES_COLUMNS.indexOf(name));
  const joined = Array.from({ length: Math.ceil(points.length / each) }, (_, part) => {
    const members = points.slice(part * each, (part + 1) * each);
    const of = (column: number) => members.map((point) => point[column]).filter((value) => typeof value === 'number');
    const values = columns.map((column, index) => {
      const known = of(column);
      return known.length === 0 ? null : JOIN[MEASURES[index] ?? 'video_kbps'](known);
    });
    return [(members[0]?.[0] ?? fromMs) - fromMs, ...values];
  });
  return { columns: ['at_ms', ...MEASURES], points: joined };
}

const meanOf = (values: readonly number[]): number =>
  Math.round((10 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 10;

const JOIN: Readonly<Record<(typeof MEASURES)[number], (values: readonly number[]) => number>> = {
  video_kbps: meanOf,
  audio_kbps: meanOf,
  frame_rate: (values) => Math.min(...values),
  key_frame_interval_ms: (values) => Math.max(...values),
};

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
