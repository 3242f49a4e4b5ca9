/**
 * Plans a page of an edge for both stores: start, direction and length of the walk, and a probe in the other direction
 * that finds out whether there are rows before the page. Both are key ranges, so a page costs the same at any position of
 * the list.
 */
import type { EdgeEntry, EdgePage, PageQuery } from '../../ports/index.js';
import { isName, requireScore, SCORE_MAX } from './names.js';

/** A position in an edge: entries are ordered by score, then by the member's bytes. */
export interface Position {
  readonly score: number;
  /** In a bound an empty member means before all members of the score. */
  readonly member: string;
}

export interface Bound extends Position {
  readonly inclusive: boolean;
}

export interface Walk {
  readonly low: Bound;
  readonly high: Bound;
  readonly ascending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface PagePlan {
  /** Fetches one row more than the page. */
  readonly walk: Walk;
  /** Goes in the other direction. If the walk found rows, the first of them replaces the near bound, exclusive. */
  readonly probe: Walk;
  readonly forward: boolean;
  readonly limit: number;
}

/** An invalid cursor. Cursors come from requests, so this is a client error. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
  readonly code = 'STORE_INVALID_CURSOR';
}

/** An opaque position. It stays valid when entries are added or removed. */
export function cursorOf(position: Position): string {
  return Buffer.from(`${position.score}:${position.member}`).toString('base64url');
}

/** @throws InvalidCursorError */
function positionOf(cursor: string): Position {
  const text = cursor.length > 2_000 ? '' : Buffer.from(cursor, 'base64url').toString();
  const colon = text.indexOf(':');
  const score = /^\d{1,16}$/.test(text.slice(0, Math.max(colon, 0))) ? Number(text.slice(0, colon)) : Number.NaN;
  const member = text.slice(colon + 1);
  if (!(score <= SCORE_MAX) || !isName(member)) throw new InvalidCursorError('invalid cursor');
  return { score, member };
}

/** @throws InvalidCursorError, RangeError for a limit or offset that is not a non-negative integer */
export function planPage(query: PageQuery): PagePlan {
  const limit = requireScore(query.limit, 'limit');
  const offset = requireScore(query.offset ?? 0, 'offset');
  const readingAscending = query.ascending ?? false;
  const after = query.after === undefined ? undefined : positionOf(query.after);
  const before = query.before === undefined ? undefined : positionOf(query.before);
  const forward = after !== undefined || before === undefined;

  const baseLow: Bound = {
    score: Math.max(wholeScore(query.sinceScore ?? 0, Math.ceil), 0),
    member: '',
    inclusive: true,
  };
  const baseHigh: Bound = {
    score: wholeScore(query.untilScore ?? SCORE_MAX, Math.floor) + 1,
    member: '',
    inclusive: false,
  };
  const [lowCursor, highCursor] = readingAscending ? [after, before] : [before, after];
  const low = lowCursor === undefined ? baseLow : higher(baseLow, { ...lowCursor, inclusive: false });
  const high = highCursor === undefined ? baseHigh : lower(baseHigh, { ...highCursor, inclusive: false });

  const ascending = forward === readingAscending;
  const near = forward ? after : before;
  const turned: Bound | undefined = near === undefined ? undefined : { ...near, inclusive: true };
  return {
    walk: { low, high, ascending, offset, limit: limit + 1 },
    probe: {
      low: ascending || turned === undefined ? baseLow : higher(baseLow, turned),
      high: ascending && turned !== undefined ? lower(baseHigh, turned) : baseHigh,
      ascending: !ascending,
      offset: 0,
      limit: 1,
    },
    forward,
    limit,
  };
}

/** The probe of a plan, given the first row of the walk. */
export function probeFrom(plan: PagePlan, first: Position | undefined): Walk {
  if (first === undefined) return plan.probe;
  const bound: Bound = { ...first, inclusive: false };
  return plan.walk.ascending ? { ...plan.probe, high: bound } : { ...plan.probe, low: bound };
}

/** `walked`: the rows of the walk in its order; `probed`: whether the probe found a row. */
export function pageOf(plan: PagePlan, walked: readonly EdgeEntry[], probed: boolean): EdgePage {
  const more = walked.length > plan.limit;
  const rows = walked.slice(0, plan.limit);
  if (!plan.forward) rows.reverse();
  return {
    entries: rows.map((row) => ({ ...row, cursor: cursorOf(row) })),
    hasNext: plan.forward ? more : probed,
    hasPrevious: plan.forward ? probed : more,
  };
}

function wholeScore(score: number, round: (value: number) => number): number {
  if (Number.isNaN(score)) throw new RangeError('a bound on the score must be a number');
  return Math.min(Math.max(round(score), -1), SCORE_MAX);
}

function compare(left: Position, right: Position): number {
  return left.score - right.score || Buffer.compare(Buffer.from(left.member), Buffer.from(right.member));
}

function higher(left: Bound, right: Bound): Bound {
  const order = compare(left, right);
  return order > 0 || (order === 0 && !left.inclusive) ? left : right;
}

function lower(left: Bound, right: Bound): Bound {
  const order = compare(left, right);
  return order < 0 || (order === 0 && !left.inclusive) ? left : right;
}
