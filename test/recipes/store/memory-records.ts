/** Error records in memory: the records of a broadcast in the order of their sequence, and its counters. */
import type { JournalEntry, RecordCounts, RecordPage, RecordQuery, RecordStore } from '../../../src/ports/index.js';
import type { StoredRecord } from '../../../src/spec/error-record.js';
import {
  isLateRaise,
  isOpen,
  planRecords,
  RECORDS_PER_BROADCAST_MAX,
  type RecordWalk,
  recordPageOf,
  recordProbeFrom,
  requireEntry,
  StoreGapError,
  storedRecord,
} from '../../../src/store/shared/record-rules.js';

interface RecordLog {
  readonly records: StoredRecord[];
  /** Place in `records`, by id. */
  readonly places: Map<string, number>;
  /** Last entry number applied, by fence. */
  readonly applied: Map<number, number>;
  uncounted: number;
  lastRevision: number;
  deleted: boolean;
}

export type RecordData = Map<string, RecordLog>;

const emptyLog = (deleted = false): RecordLog => ({
  records: [],
  places: new Map(),
  applied: new Map(),
  uncounted: 0,
  lastRevision: 0,
  deleted,
});

export class MemoryRecords implements RecordStore {
  readonly #logs: RecordData;

  constructor(logs: RecordData) {
    this.#logs = logs;
  }

  async append(entries: readonly JournalEntry[], { refuseGaps = false } = {}): Promise<StoredRecord[]> {
    for (const entry of entries) requireEntry(entry);
    return entries.flatMap((entry) => this.#apply(entry, refuseGaps) ?? []);
  }

  async page(broadcastId: string, query: RecordQuery): Promise<RecordPage> {
    const plan = planRecords(query);
    const records = this.#log(broadcastId).records.filter((record) => matches(record, query));
    const walked = walk(records, plan.walk);
    const first = walked[0]?.[plan.walk.by];
    return recordPageOf(plan, walked, walk(records, recordProbeFrom(plan, first)).length > 0);
  }

  async get(broadcastId: string, id: string): Promise<StoredRecord | undefined> {
    const { records, places } = this.#log(broadcastId);
    return records[places.get(id) ?? -1];
  }

  async counts(broadcastId: string): Promise<RecordCounts> {
    const { records, uncounted, lastRevision } = this.#log(broadcastId);
    return { total: records.length, open: records.filter(isOpen).length, uncounted, lastRevision };
  }

  async delete(broadcastId: string): Promise<void> {
    this.#logs.set(broadcastId, emptyLog(true));
  }

  async keepUntil(): Promise<void> {
    // Memory is never swept.
  }

  #log(broadcastId: string): RecordLog {
    return this.#logs.get(broadcastId) ?? emptyLog();
  }

  #apply({ broadcastId, fence, number, change }: JournalEntry, refuseGaps: boolean): StoredRecord | undefined {
    const log = this.#log(broadcastId);
    this.#logs.set(broadcastId, log);
    const applied = log.applied.get(fence) ?? 0;
    if (log.deleted || number <= applied) return undefined;
    if (refuseGaps && number > applied + 1) throw new StoreGapError(broadcastId, fence, applied);
    log.applied.set(fence, number);
    const known = log.places.get(change.body.id);
    if (known === undefined && log.records.length >= RECORDS_PER_BROADCAST_MAX) {
      if (change.change === 'raised') log.uncounted += 1;
      return undefined;
    }
    if (isLateRaise(change, known === undefined ? undefined : log.records[known])) return undefined;
    const index = known ?? log.records.length;
    log.places.set(change.body.id, index);
    log.lastRevision += 1;
    const record = storedRecord(change, index + 1, log.lastRevision, log.records[index]);
    log.records[index] = record;
    return record;
  }
}

function matches(record: StoredRecord, { severity, open, sinceMs, untilMs }: RecordQuery): boolean {
  if (severity !== undefined && record.severity !== severity) return false;
  if (open !== undefined && isOpen(record) !== open) return false;
  return record.timestampMs >= (sinceMs ?? 0) && record.timestampMs <= (untilMs ?? Number.POSITIVE_INFINITY);
}

function walk(records: readonly StoredRecord[], { by, low, high, ascending, limit }: RecordWalk): StoredRecord[] {
  const sorted = records.filter((one) => one[by] >= low && one[by] <= high).sort((a, b) => a[by] - b[by]);
  return (ascending ? sorted : sorted.reverse()).slice(0, limit);
}
