/** The error logs of all broadcasts in LMDB, with their expiry. */
import type { Clock, JournalEntry, Log, RecordStore } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { requireName } from '../shared/names.js';
import { DELETED_LOG_REMEMBERED_MS, RECORDS_KEPT_MS, requireEntry } from '../shared/record-rules.js';
import { name, uint53 } from './keys.js';
import { emptyHead, type RecordHead, type RecordLog } from './record-log.js';
import { LmdbRecordReads } from './record-reads.js';
import type { Sweeper } from './sweeper.js';
import { scan, type Table, type Tables } from './tables.js';

/** Identifies the table in the sweeper's list. */
export const RECORDS = 'r';

const RETENTION_CHECK_MS = 3_600_000;
const LOGS_PER_CHECK = 500;

export class LmdbRecords extends LmdbRecordReads implements RecordStore {
  /** One row per log, by (time of the next check, broadcast). */
  readonly #retention: Table<true>;
  readonly #sweeper: () => Sweeper;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;

  constructor(tables: Tables, sweeper: () => Sweeper, clock: Clock, log: Log) {
    super(tables);
    this.#retention = tables.table<true>('retention');
    this.#sweeper = sweeper;
    this.#clock = clock;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.expire().catch((error: unknown) => this.#log.error({ error }, 'removing expired error logs failed'));
    }, RETENTION_CHECK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async append(entries: readonly JournalEntry[]): Promise<StoredRecord[]> {
    if (entries.length === 0) return [];
    for (const entry of entries) requireEntry(entry);
    return this.tables.write(() => {
      const logs = new Map<string, RecordLog>();
      const stored: StoredRecord[] = [];
      for (const entry of entries) {
        const log = logs.get(entry.broadcastId) ?? this.open(entry.broadcastId);
        logs.set(entry.broadcastId, log);
        const record = log.apply(entry);
        if (record !== undefined) stored.push(record);
      }
      const nowMs = this.#clock.wallMs();
      for (const [broadcastId, log] of logs) this.#save(broadcastId, log.head, nowMs);
      return stored;
    });
  }

  async delete(broadcastId: string): Promise<void> {
    requireName(broadcastId, 'a broadcast id');
    await this.tables.write(() => {
      const log = this.open(broadcastId);
      const { head } = log;
      if (head.total > 0) this.#sweeper().add(RECORDS, log.range());
      const left = { ...emptyHead(), generation: head.generation + 1, deleted: true };
      this.#save(broadcastId, left, this.#clock.wallMs(), head.lastAppendMs === 0);
    });
    this.#sweeper().wake();
  }

  async keepUntil(broadcastId: string, untilMs: number): Promise<void> {
    requireName(broadcastId, 'a broadcast id');
    await this.tables.write(() => {
      const head = this.head(broadcastId);
      const fresh = head.lastAppendMs === 0;
      head.keepUntilMs = Math.max(head.keepUntilMs, untilMs);
      this.#save(broadcastId, head, head.lastAppendMs || this.#clock.wallMs(), fresh);
    });
  }

  /** Removes expired logs; runs every hour. */
  async expire(): Promise<void> {
    const nowMs = this.#clock.wallMs();
    for (let full = true; full; ) {
      full = await this.tables.write(() => {
        const due = scan(this.#retention, Buffer.alloc(0), uint53(nowMs + 1), true, LOGS_PER_CHECK);
        for (const { key } of due) {
          this.#retention.remove(key);
          this.#look(key.subarray(8, -1).toString(), nowMs);
        }
        return due.length === LOGS_PER_CHECK;
      });
    }
    this.#sweeper().wake();
  }

  #look(broadcastId: string, nowMs: number): void {
    const log = this.open(broadcastId);
    const untilMs = expiryOf(log.head);
    if (untilMs > nowMs) {
      this.#retention.put(retentionKey(broadcastId, untilMs), true);
      return;
    }
    if (log.head.total > 0) this.#sweeper().add(RECORDS, log.range());
    this.heads.remove(name(broadcastId));
  }

  #save(broadcastId: string, head: RecordHead, nowMs: number, fresh = head.lastAppendMs === 0): void {
    head.lastAppendMs = nowMs;
    this.heads.put(name(broadcastId), head);
    if (fresh) this.#retention.put(retentionKey(broadcastId, expiryOf(head)), true);
  }
}

export function expiryOf(head: RecordHead): number {
  const keptMs = head.deleted ? DELETED_LOG_REMEMBERED_MS : RECORDS_KEPT_MS;
  return Math.max(head.lastAppendMs + keptMs, head.keepUntilMs);
}

/** Writes the head of a restored log. Call it in a transaction. */
export function saveHead(tables: Tables, broadcastId: string, head: RecordHead): void {
  tables.table<RecordHead>('heads').put(name(broadcastId), head);
  tables.table<true>('retention').put(retentionKey(broadcastId, expiryOf(head)), true);
}

function retentionKey(broadcastId: string, untilMs: number): Buffer {
  return Buffer.concat([uint53(Math.min(untilMs, Number.MAX_SAFE_INTEGER)), name(broadcastId)]);
}
