/** Computes the verdict of each specification row from error records and observed values. */
import { isOver } from '../../../lifecycle/lifecycle.js';
import { countsText } from '../../../spec/ending.js';
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView, HealthView } from '../../view/protocol.js';
import { FAULTS } from './faults.js';
import { type BroadcastState, isOpen } from './feed-state.js';
import { plural, valueText } from './format.js';
import { onAirOf, withStandbyLowered } from './inputs.js';
import type { Gauge, Observed } from './row.js';
import { SPEC_ROWS, type SpecRow } from './spec-rows.js';

export type Verdict = 'pass' | 'warn' | 'fail' | 'unjudged';

export interface RowVerdict {
  readonly row: SpecRow;
  readonly verdict: Verdict;
  readonly observed: string | undefined;
  readonly bound: string;
  readonly gauge: Gauge | undefined;
  /** The records that count against it. */
  readonly records: readonly ErrorView[];
}

const POINTS = new Set(FAULTS.filter(({ isPoint }) => isPoint).map(({ code }) => code));
const TITLES = new Map(FAULTS.map(({ code, title }) => [code, title]));

/** A point event (cleared when raised) counts against its row for this long. */
const POINT_SHOWN_MS = 60_000;

/** The last values, also while the encoder is away; none after the end, nor for the next stream before it is there. */
export function healthOf({ health, view }: BroadcastState): HealthView | undefined {
  if (view === undefined || isOver(view)) return undefined;
  return view.stream_state === 'waiting' && health?.connected === false ? undefined : health;
}

export function titleOf(record: { readonly error_code: number; readonly error_type: string }): string {
  return TITLES.get(record.error_code) ?? record.error_type;
}

/**
 * A running broadcast is judged by its open records, an ended one by all records: `records` must then be complete. `health` is
 * of the stream as it is, or as it was at the end.
 */
export function verdicts(
  records: Iterable<ErrorView>,
  health: HealthView | undefined,
  view: BroadcastView,
  nowMs: number,
): readonly RowVerdict[] {
  const over = isOver(view);
  const seen: Observed | undefined = health === undefined ? undefined : { ...health, ...lengthOf(view, nowMs) };
  const against = new Map<number, ErrorView[]>();
  for (const record of over ? records : withStandbyLowered(records, onAirOf(health))) {
    if (over || countsNow(record, nowMs))
      against.set(record.error_code, [...(against.get(record.error_code) ?? []), record]);
  }
  const judged = new Set(over ? view.judged_codes : []);
  return SPEC_ROWS.map((row) => {
    const found = row.codes.flatMap((code) => against.get(code) ?? []);
    const worst = worstText(found);
    const current = seen === undefined ? undefined : row.observed(seen, found);
    const observed = over ? (worst ?? (isFailing(found) ? undefined : current)) : (current ?? worst);
    const gauge = seen === undefined ? undefined : row.gauge?.(seen, found);
    const isMet = seen === undefined || row.isMet?.(seen) !== false;
    const isKnown = over ? row.codes.some((code) => judged.has(code)) : current !== undefined && !isOutside(gauge);
    return {
      row,
      observed: observed ?? (row.watched === true && found.length === 0 && isFilling(seen) ? 'Checking…' : undefined),
      bound: row.bound(seen),
      gauge,
      records: found,
      verdict: verdictOf(found, isKnown && isMet),
    };
  });
}

function lengthOf(view: BroadcastView, nowMs: number): Pick<Observed, 'broadcast_ms'> {
  const { status, broadcast_start_time: start, end_time: end } = view;
  if (start === undefined || (status !== 'LIVE' && end === undefined)) return {};
  return { broadcast_ms: (end === undefined ? nowMs : Date.parse(end)) - Date.parse(start) };
}

function isFailing(records: readonly ErrorView[]): boolean {
  return records.some(({ severity }) => severity !== 'info');
}

/** A longer text is a sentence of its own, which the record shows. */
const LONGEST_TEXT = 20;

/** The worst value of the most severe records; undefined if it has no unit, or is a sentence. */
function worstText(records: readonly ErrorView[]): string | undefined {
  const failing = records.filter(({ severity }) => severity === 'error');
  const counted = failing.length > 0 ? failing : records.filter(({ severity }) => severity === 'warning');
  const beyond = ({ worst, limit }: ErrorView): number =>
    typeof worst === 'number' ? Math.abs(worst - (typeof limit === 'number' ? limit : 0)) : 0;
  const [first] = [...counted].sort((a, b) => beyond(b) - beyond(a));
  if (first === undefined) return undefined;
  const { worst, unit } = first;
  if (typeof worst === 'number') return valueText(worst, unit);
  return typeof worst === 'string' && worst.length <= LONGEST_TEXT ? worst : undefined;
}

/** The longest window of a measured value. */
const WINDOW_MS = 15_000;

function isFilling(seen: Observed | undefined): boolean {
  return seen?.connected === true && seen.stream_time_ms < WINDOW_MS;
}

/** Published bounds are rounded by the rules: a value this close to one is not outside. */
const ROUNDING = 0.02;

/** No verdict yet on a value that is out of range but has not been so for long enough to be raised. */
function isOutside(gauge: Gauge | undefined): boolean {
  if (gauge === undefined) return false;
  const { value, min, max } = gauge;
  return value < min - ROUNDING * Math.abs(min) || value > max + ROUNDING * Math.abs(max);
}

/** Open, or a point event of the last minute. */
function countsNow(record: ErrorView, nowMs: number): boolean {
  return isOpen(record) || (POINTS.has(record.error_code) && nowMs - timeOf(record) < POINT_SHOWN_MS);
}

function verdictOf(records: readonly ErrorView[], judged: boolean): Verdict {
  if (records.some((record) => record.severity === 'error')) return 'fail';
  if (records.some((record) => record.severity === 'warning')) return 'warn';
  return judged ? 'pass' : 'unjudged';
}

export function timeOf(record: ErrorView): number {
  return Date.parse(record.timestamp);
}

/** How long a refused publish is shown beside the state of the stream. */
const REFUSAL_SHOWN_MS = 10 * 60_000;

/** The last refused publish, if it is recent. `cleared_time` of such a record is its last repetition. */
export function lastRefusal(records: Iterable<ErrorView>, nowMs: number): ErrorView | undefined {
  return [...records]
    .filter((record) => record.source === 'publish' && nowMs - lastMs(record) < REFUSAL_SHOWN_MS)
    .sort((a, b) => lastMs(b) - lastMs(a))[0];
}

function lastMs(record: ErrorView): number {
  return Date.parse(record.cleared_time ?? record.timestamp);
}

export interface OpenCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** The records that the table and the headline of a running broadcast count too. `onAir`: as `onAirOf` gives it. */
export function openCounts(records: Iterable<ErrorView>, onAir?: string, nowMs = Date.now()): OpenCounts {
  let errors = 0;
  let warnings = 0;
  for (const record of withStandbyLowered(records, onAir)) {
    if (!countsNow(record, nowMs) || record.source === 'publish') continue;
    if (record.severity === 'error') errors++;
    if (record.severity === 'warning') warnings++;
  }
  return { errors, warnings };
}

/** Verdict of a whole broadcast that is over, by the records that are held; undefined if some are not. */
export function finalCounts(
  records: ReadonlyMap<string, ErrorView>,
  { errors }: BroadcastView,
): OpenCounts | undefined {
  if (records.size < errors.total) return undefined;
  const counted = [...records.values()].filter(({ source }) => source !== 'publish');
  const count = (wanted: ErrorView['severity']) => counted.filter(({ severity }) => severity === wanted).length;
  return { errors: count('error'), warnings: count('warning') };
}

/** Text of the list for the records so far where none is open: '' without any. */
export function totalText(records: ReadonlyMap<string, ErrorView>, view: BroadcastView): string {
  const counts = isOver(view) ? finalCounts(records, view) : undefined;
  if (counts === undefined) return view.errors.total === 0 ? '' : plural(view.errors.total, 'record');
  return counts.errors + counts.warnings === 0 ? '' : countsText(counts.errors, counts.warnings);
}

/** Label and color of a broadcast's state. */
export function stateLabel(view: BroadcastView): {
  readonly text: string;
  readonly tone: 'live' | 'ready' | 'alert' | 'quiet';
} {
  if (view.status === 'LIVE') {
    if (view.stream_state !== 'interrupted') return { text: 'Live', tone: 'live' };
    return view.encoder_stopped === true
      ? { text: 'Ended by the encoder', tone: 'quiet' }
      : { text: 'Interrupted', tone: 'alert' };
  }
  if (view.stream_state === 'connected' && !isOver(view)) return { text: 'Preview', tone: 'ready' };
  switch (view.status) {
    case 'UNPUBLISHED':
      return { text: 'Waiting for stream', tone: 'quiet' };
    case 'SCHEDULED_UNPUBLISHED':
    case 'SCHEDULED_LIVE':
      return { text: 'Scheduled', tone: 'quiet' };
    case 'PROCESSING':
      return { text: 'Processing', tone: 'quiet' };
    case 'VOD':
      return { text: 'Recorded', tone: 'quiet' };
    case 'SCHEDULED_EXPIRED':
      return { text: 'Expired', tone: 'quiet' };
    case 'SCHEDULED_CANCELED':
      return { text: 'Canceled', tone: 'quiet' };
    default:
      return { text: 'Ended', tone: 'quiet' };
  }
}
