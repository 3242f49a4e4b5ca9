/**
 * The error log of one broadcast in LMDB, accessed inside a transaction. Rows under (broadcast, generation): `r` records by
 * sequence, `i` sequence by record id, `t` sequence by time, and two indexes by severity and open state: `x` by sequence,
 * `v` by revision.
 */
import type { JournalEntry, RecordQuery } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import {
  isLateRaise,
  isOpen,
  RECORDS_PER_BROADCAST_MAX,
  type RecordWalk,
  storedRecord,
} from '../shared/record-rules.js';
import { name, ownerPrefix, prefix, readUint53, uint53 } from './keys.js';
import { scan, type Table } from './tables.js';

/** The counters of a log, and the last journal entry applied of each holder. */
export interface RecordHead {
  generation: number;
  total: number;
  open: number;
  uncounted: number;
  lastRevision: number;
  /** The largest `timestampMs` so far: it never decreases with the sequence, so a time bound is a bound on sequence. */
  latestMs: number;
  /** The largest lag of a record's time behind `latestMs`: clocks are set back, journals arrive late. */
  behindMs: number;
  /** Last entry number applied, by fence. */
  applied: Record<string, number>;
  lastAppendMs: number;
  keepUntilMs: number;
  deleted: boolean;
}

/** A row by revision: enough to skip a record outside the requested time without reading it. */
interface Change {
  readonly sequence: number;
  readonly timestampMs: number;
}

export function emptyHead(): RecordHead {
  return {
    generation: 0,
    total: 0,
    open: 0,
    uncounted: 0,
    lastRevision: 0,
    latestMs: 0,
    behindMs: 0,
    applied: {},
    lastAppendMs: 0,
    keepUntilMs: 0,
    deleted: false,
  };
}

export class RecordLog {
  readonly head: RecordHead;
  readonly #rows: Table<unknown>;
  readonly #records: Table<StoredRecord>;
  readonly #owner: string;

  /** `rows` and `records` are one table under two types. */
  constructor(rows: Table<unknown>, records: Table<StoredRecord>, broadcastId: string, head: RecordHead) {
    this.#rows = rows;
    this.#records = records;
    this.#owner = broadcastId;
    this.head = head;
  }

  /** All rows of the log. */
  range(): Buffer {
    return ownerPrefix(this.#owner, this.head.generation);
  }

  /** The record after the entry; `undefined` if the entry changed no record. */
  apply(entry: JournalEntry): StoredRecord | undefined {
    const { head } = this;
    const fence = String(entry.fence);
    if (head.deleted || entry.number <= (head.applied[fence] ?? 0)) return undefined;
    head.applied[fence] = entry.number;

    const { body } = entry.change;
    const sequence = this.#sequenceOf(body.id);
    const former = sequence === undefined ? undefined : this.bySequence(sequence);
    if (former === undefined && head.total >= RECORDS_PER_BROADCAST_MAX) {
      if (entry.change.change === 'raised') head.uncounted += 1;
      return undefined;
    }
    if (isLateRaise(entry.change, former)) return undefined;
    head.lastRevision += 1;
    if (former !== undefined)
      return this.#change(former, storedRecord(entry.change, former.sequence, head.lastRevision, former));
    head.total += 1;
    return this.#insert(storedRecord(entry.change, head.total, head.lastRevision));
  }

  /** Adds a record from a backup; the head already counts its sequence and revision. */
  restore(record: StoredRecord): void {
    this.#insert(record);
  }

  byId(id: string): StoredRecord | undefined {
    const sequence = this.#sequenceOf(id);
    return sequence === undefined ? undefined : this.bySequence(sequence);
  }

  bySequence(sequence: number): StoredRecord | undefined {
    return this.#records.get(this.#key('r', uint53(sequence)));
  }

  walk(walk: RecordWalk, query: RecordQuery): StoredRecord[] {
    const found: StoredRecord[] = [];
    const { low, high } = walk.by === 'sequence' ? this.#timeBounds(walk, query) : walk;
    const index = this.#indexFor(walk, query);
    let from = low;
    let to = high;
    // Only a time bound can skip rows of an index, so the first step nearly always completes the page.
    for (let step = walk.limit; from <= to && found.length < walk.limit; step = Math.min(step * 4, 1_024)) {
      const rows = scan(
        this.#rows,
        Buffer.concat([index, uint53(from)]),
        Buffer.concat([index, uint53(to + 1)]),
        walk.ascending,
        step,
      );
      for (const row of rows) {
        const number = readUint53(row.key, index.length);
        if (walk.ascending) from = number + 1;
        else to = number - 1;
        const record = this.#recordAt(walk, number, row.value, query);
        if (record !== undefined && matches(record, query)) found.push(record);
        if (found.length >= walk.limit) break;
      }
      if (rows.length < step) break;
    }
    return found;
  }

  #insert(record: StoredRecord): StoredRecord {
    const { head } = this;
    head.latestMs = Math.max(head.latestMs, record.timestampMs);
    head.behindMs = Math.max(head.behindMs, head.latestMs - record.timestampMs);
    const sequence = uint53(record.sequence);
    this.#rows.put(this.#key('i', name(record.id)), record.sequence);
    this.#rows.put(this.#key('t', Buffer.concat([uint53(head.latestMs), sequence])), record.sequence);
    this.#index(record);
    if (isOpen(record)) head.open += 1;
    return this.#put(record);
  }

  #change(former: StoredRecord, record: StoredRecord): StoredRecord {
    this.#unindex(former);
    this.#index(record);
    this.head.open += Number(isOpen(record)) - Number(isOpen(former));
    return this.#put(record);
  }

  #put(record: StoredRecord): StoredRecord {
    this.#records.put(this.#key('r', uint53(record.sequence)), record);
    return record;
  }

  /** The index of exactly the rows that match severity and open state. */
  #indexFor(walk: RecordWalk, query: RecordQuery): Buffer {
    if (walk.by === 'revision') return this.#indexKey('v', query.severity, query.open);
    if (query.severity === undefined && query.open === undefined) return this.#key('r');
    return this.#indexKey('x', query.severity, query.open);
  }

  #recordAt(walk: RecordWalk, number: number, value: unknown, query: RecordQuery): StoredRecord | undefined {
    if (walk.by === 'revision') return this.bySequence(this.#inTime(value, query));
    // Without a filter the walk reads the records directly.
    return value === true ? this.bySequence(number) : (value as StoredRecord);
  }

  /** The sequence of a row by revision; 0, which is no sequence, if it is outside the requested time. */
  #inTime(value: unknown, query: RecordQuery): number {
    const change = value as Change;
    const early = query.sinceMs !== undefined && change.timestampMs < query.sinceMs;
    const late = query.untilMs !== undefined && change.timestampMs > query.untilMs;
    return early || late ? 0 : change.sequence;
  }

  #timeBounds(walk: RecordWalk, query: RecordQuery): { low: number; high: number } {
    let { low, high } = walk;
    const times = this.#key('t');
    const end = this.#key('u');
    if (query.sinceMs !== undefined) {
      const [first] = scan(this.#rows, Buffer.concat([times, bound(query.sinceMs)]), end, true, 1);
      low = Math.max(low, first === undefined ? Number.POSITIVE_INFINITY : Number(first.value));
    }
    if (query.untilMs !== undefined) {
      const past = bound(query.untilMs + this.head.behindMs + 1);
      const [last] = scan(this.#rows, times, Buffer.concat([times, past]), false, 1);
      high = Math.min(high, last === undefined ? -1 : Number(last.value));
    }
    return { low, high };
  }

  #sequenceOf(id: string): number | undefined {
    const sequence = this.#rows.get(this.#key('i', name(id)));
    return typeof sequence === 'number' ? sequence : undefined;
  }

  #index(record: StoredRecord): void {
    const change: Change = { sequence: record.sequence, timestampMs: record.timestampMs };
    for (const key of this.#keysOf('x', record)) this.#rows.put(key, true);
    for (const key of this.#keysOf('v', record)) this.#rows.put(key, change);
  }

  #unindex(record: StoredRecord): void {
    for (const key of [...this.#keysOf('x', record), ...this.#keysOf('v', record)]) this.#rows.remove(key);
  }

  #keysOf(kind: 'x' | 'v', record: StoredRecord): Buffer[] {
    const [severity, open] = [record.severity, isOpen(record)];
    const number = uint53(kind === 'x' ? record.sequence : record.revision);
    const keys = [
      this.#indexKey(kind, severity, undefined),
      this.#indexKey(kind, undefined, open),
      this.#indexKey(kind, severity, open),
    ];
    if (kind === 'v') keys.push(this.#indexKey(kind, undefined, undefined));
    return keys.map((key) => Buffer.concat([key, number]));
  }

  #indexKey(kind: 'x' | 'v', severity: string | undefined, open: boolean | undefined): Buffer {
    const state = open === undefined ? 'all' : open ? 'open' : 'cleared';
    return this.#key(kind, Buffer.concat([name(severity ?? ''), name(state)]));
  }

  #key(kind: string, rest?: Buffer): Buffer {
    const start = prefix(this.#owner, this.head.generation, kind);
    return rest === undefined ? start : Buffer.concat([start, rest]);
  }
}

export function matches(record: StoredRecord, query: RecordQuery): boolean {
  if (query.severity !== undefined && record.severity !== query.severity) return false;
  if (query.open !== undefined && isOpen(record) !== query.open) return false;
  if (query.sinceMs !== undefined && record.timestampMs < query.sinceMs) return false;
  return query.untilMs === undefined || record.timestampMs <= query.untilMs;
}

function bound(timeMs: number): Buffer {
  return uint53(Math.min(Math.max(Math.ceil(timeMs), 0), Number.MAX_SAFE_INTEGER));
}
