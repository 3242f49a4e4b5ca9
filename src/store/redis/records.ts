/** Error logs in Redis: every call is one script on the broadcast's tag. */
import type {
  AppendOptions,
  JournalEntry,
  RecordCounts,
  RecordPage,
  RecordQuery,
  RecordStore,
} from '../../ports/index.js';
import type { RecordBody, StoredRecord } from '../../spec/error-record.js';
import { isName, requireName } from '../shared/names.js';
import {
  DELETED_LOG_REMEMBERED_MS,
  isOpen,
  isSeverity,
  planRecords,
  RECORDS_KEPT_MS,
  RECORDS_PER_BROADCAST_MAX,
  type RecordWalk,
  recordPageOf,
  requireEntry,
  StoreGapError,
  storedRecord,
} from '../shared/record-rules.js';
import type { Argument, RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { listOf, numberOf, textOf, textOrNothing } from './replies.js';
import { APPEND, DELETE_RECORDS, KEEP_RECORDS, RECORD_BY_ID, RECORD_PAGE } from './scripts/records.js';

export class RedisRecords implements RecordStore {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;

  constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** @throws StoreUnavailableError, StoreGapError with `refuseGaps`; entries of other broadcasts may be stored then */
  async append(entries: readonly JournalEntry[], options: AppendOptions = {}): Promise<StoredRecord[]> {
    const refuseGaps = options.refuseGaps ?? false;
    const groups = new Map<string, JournalEntry[]>();
    for (const entry of entries) {
      requireEntry(entry);
      const group = groups.get(entry.broadcastId);
      if (group === undefined) groups.set(entry.broadcastId, [entry]);
      else group.push(entry);
    }
    const outcomes = await Promise.allSettled(
      [...groups].map(([broadcastId, group]) => this.#append(broadcastId, group, refuseGaps)),
    );
    const stored: StoredRecord[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      stored.push(...outcome.value);
    }
    return stored;
  }

  async page(broadcastId: string, query: RecordQuery): Promise<RecordPage> {
    const plan = planRecords(query);
    if (!isName(broadcastId) || (query.severity !== undefined && !isSeverity(query.severity))) {
      return recordPageOf(plan, [], false);
    }
    const reply = listOf(
      await this.#connection.run(
        RECORD_PAGE,
        [this.#base(broadcastId)],
        [
          plan.walk.by,
          ...walkArguments(plan.walk),
          ...walkArguments(plan.probe),
          query.severity ?? '',
          query.open === undefined ? '' : Number(query.open),
          query.sinceMs === undefined ? '' : Math.ceil(query.sinceMs),
          query.untilMs === undefined ? '' : Math.floor(query.untilMs),
        ],
      ),
    );
    const flat = listOf(reply[0]);
    const rows: StoredRecord[] = [];
    for (let index = 0; index + 1 < flat.length; index += 2) rows.push(recordOf(flat[index], flat[index + 1]));
    return recordPageOf(plan, rows, numberOf(reply[1]) > 0);
  }

  async get(broadcastId: string, id: string): Promise<StoredRecord | undefined> {
    if (!isName(broadcastId) || !isName(id)) return undefined;
    const [sequence, row] = listOf(await this.#connection.run(RECORD_BY_ID, [this.#base(broadcastId)], [id]));
    return sequence === undefined ? undefined : recordOf(sequence, row);
  }

  async counts(broadcastId: string): Promise<RecordCounts> {
    if (!isName(broadcastId)) return { total: 0, open: 0, uncounted: 0, lastRevision: 0 };
    return countsOf(await this.#connection.send('HMGET', `${this.#base(broadcastId)}:h`, ...RECORD_COUNTS));
  }

  async delete(broadcastId: string): Promise<void> {
    requireName(broadcastId, 'a broadcast id');
    await this.#connection.run(DELETE_RECORDS, [this.#base(broadcastId)], [DELETED_LOG_REMEMBERED_MS]);
  }

  async keepUntil(broadcastId: string, untilMs: number): Promise<void> {
    requireName(broadcastId, 'a broadcast id');
    await this.#connection.run(KEEP_RECORDS, [this.#base(broadcastId)], [Math.ceil(untilMs), RECORDS_KEPT_MS]);
  }

  async #append(broadcastId: string, entries: readonly JournalEntry[], refuseGaps: boolean): Promise<StoredRecord[]> {
    const args: Argument[] = [RECORDS_KEPT_MS, RECORDS_PER_BROADCAST_MAX, Number(refuseGaps)];
    for (const { fence, number, change } of entries) {
      const { body } = change;
      args.push(fence, number, change.change, body.id, body.severity, body.timestampMs, Number(isOpen(body)));
      args.push(JSON.stringify(body));
    }
    const reply = listOf(await this.#connection.run(APPEND, [this.#base(broadcastId)], args));
    if (reply[0] === 'GAP') throw new StoreGapError(broadcastId, numberOf(reply[1]), numberOf(reply[2]));
    const stored: StoredRecord[] = [];
    for (let index = 0; index + 3 < reply.length; index += 4) {
      const entry = entries[numberOf(reply[index]) - 1];
      if (entry === undefined) continue;
      const [sequence, revision] = [numberOf(reply[index + 1]), numberOf(reply[index + 2])];
      stored.push(storedRecord(entry.change, sequence, revision, { count: numberOf(reply[index + 3]) }));
    }
    return stored;
  }

  #base(broadcastId: string): string {
    return `${this.#keys.base(broadcastId)}:r`;
  }
}

/** The fields of a log's head for HMGET, in the order of `countsOf`. */
export const RECORD_COUNTS = ['total', 'open', 'uncounted', 'lastRevision'] as const;

export function countsOf(reply: unknown): RecordCounts {
  const numbers = listOf(reply).map((value) => Number(textOrNothing(value) ?? 0));
  const [total = 0, open = 0, uncounted = 0, lastRevision = 0] = numbers;
  return { total, open, uncounted, lastRevision };
}

function walkArguments(walk: RecordWalk): Argument[] {
  return [walk.low, walk.high, walk.ascending ? 1 : 0, walk.limit];
}

/** `revision|severity|timeMs|open|json` */
export function recordOf(sequence: unknown, row: unknown): StoredRecord {
  const text = textOf(row);
  const match = /^(\d+)\|[^|]*\|\d+\|\d\|/.exec(text);
  if (match === null) throw new TypeError('malformed stored error record');
  const body: RecordBody = JSON.parse(text.slice(match[0].length));
  return { ...body, sequence: numberOf(sequence), revision: Number(match[1]) };
}
