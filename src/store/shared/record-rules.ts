/** Rules for error records in both stores; the Redis scripts get the same numbers as arguments. */

import type { JournalEntry, RecordQuery } from '../../ports/index.js';
import type { RecordChange, StoredRecord } from '../../spec/error-record.js';
import { requireName, requireScore, SCORE_MAX } from './names.js';

/** Records beyond this number in one broadcast are only counted. */
export const RECORDS_PER_BROADCAST_MAX = 10_000;

/** Retention of an error log after its last entry, unless `keepUntil` extends it. */
export const RECORDS_KEPT_MS = 90 * 24 * 3_600_000;

/** How long a deleted log refuses late entries of a journal that was disconnected. */
export const DELETED_LOG_REMEMBERED_MS = RECORDS_KEPT_MS;

/**
 * With `refuseGaps`: entries before the first one offered are missing because a failover lost acknowledged writes. The
 * journal then offers its retained entries from `applied` + 1 on.
 */
export class StoreGapError extends Error {
  override readonly name = 'StoreGapError';
  readonly code = 'STORE_GAP';
  readonly broadcastId: string;
  readonly fence: number;
  readonly applied: number;

  constructor(broadcastId: string, fence: number, applied: number) {
    super(`the store has lost entries of broadcast ${broadcastId} after ${fence}/${applied}`);
    this.broadcastId = broadcastId;
    this.fence = fence;
    this.applied = applied;
  }
}

/** The record after a change. A change by a process that did not know the last count of `former` keeps that count. */
export function storedRecord(
  { body }: RecordChange,
  sequence: number,
  revision: number,
  former?: { readonly count: number },
): StoredRecord {
  return { ...body, count: Math.max(body.count, former?.count ?? 0), sequence, revision };
}

/** A raise that arrives after a change that another process made of it: the record stays as it is. */
export function isLateRaise({ change, body }: RecordChange, former: StoredRecord | undefined): boolean {
  return former !== undefined && change === 'raised' && body.count < former.count;
}

export function isOpen(record: { readonly cleared_time_ms: number | null }): boolean {
  return record.cleared_time_ms === null;
}

/** A value that the index by severity supports. */
export function isSeverity(text: string): boolean {
  return /^[a-z_]{1,32}$/.test(text);
}

/** @throws RangeError for an invalid entry */
export function requireEntry(entry: JournalEntry): JournalEntry {
  requireName(entry.broadcastId, 'a broadcast id');
  requireName(entry.change.body.id, 'a record id');
  if (!isSeverity(entry.change.body.severity)) throw new RangeError('a severity is a short word');
  requireScore(entry.fence, 'a fence');
  requireScore(entry.number, 'an entry number');
  requireScore(entry.change.body.timestampMs, 'a timestamp');
  return entry;
}

export interface RecordWalk {
  /** Rows are numbered by sequence, or by revision for `afterRevision`. Both bounds are inclusive. */
  readonly by: 'sequence' | 'revision';
  readonly low: number;
  readonly high: number;
  readonly ascending: boolean;
  readonly limit: number;
}

export interface RecordPlan {
  /** Fetches one row more than the page. */
  readonly walk: RecordWalk;
  /** Goes in the other direction; if the walk found rows, from the first of them, exclusive. */
  readonly probe: RecordWalk;
  readonly forward: boolean;
  readonly limit: number;
}

/** Newest first by sequence; with `afterRevision` the oldest change first by revision. */
export function planRecords(query: RecordQuery): RecordPlan {
  const limit = requireScore(query.limit, 'limit');
  if (query.afterRevision !== undefined) {
    const after = requireScore(query.afterRevision, 'afterRevision');
    return {
      walk: { by: 'revision', low: after + 1, high: SCORE_MAX, ascending: true, limit: limit + 1 },
      probe: { by: 'revision', low: 0, high: after, ascending: false, limit: 1 },
      forward: true,
      limit,
    };
  }
  const after = query.afterSequence;
  const before = query.beforeSequence;
  const forward = after !== undefined || before === undefined;
  const high = after === undefined ? SCORE_MAX : after - 1;
  const low = before === undefined ? 0 : before + 1;
  const near = forward ? after : before;
  return {
    walk: { by: 'sequence', low, high, ascending: !forward, limit: limit + 1 },
    probe: {
      by: 'sequence',
      low: forward && near !== undefined ? near : 0,
      high: !forward && near !== undefined ? near : SCORE_MAX,
      ascending: forward,
      limit: 1,
    },
    forward,
    limit,
  };
}

/** The probe of a plan, given the number of the walk's first row. */
export function recordProbeFrom(plan: RecordPlan, first: number | undefined): RecordWalk {
  if (first === undefined) return plan.probe;
  return plan.probe.ascending ? { ...plan.probe, low: first + 1 } : { ...plan.probe, high: first - 1 };
}

export function recordPageOf(plan: RecordPlan, walked: readonly StoredRecord[], probed: boolean) {
  const more = walked.length > plan.limit;
  const records = walked.slice(0, plan.limit);
  if (!plan.forward) records.reverse();
  return {
    records,
    hasNext: plan.forward ? more : probed,
    hasPrevious: plan.forward ? probed : more,
  };
}
