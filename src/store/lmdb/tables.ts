/** The one LMDB environment of a data folder and its tables. Values are JSON: nothing in them needs more. */
import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StoreUnavailableError } from '../../ports/index.js';
import { endOf } from './keys.js';

export type Table<Value> = Database<Value, Buffer>;

export interface Row<Value> {
  readonly key: Buffer;
  readonly value: Value;
}

export interface Tables {
  readonly root: RootDatabase<unknown, Buffer>;
  table<Value>(name: string): Table<Value>;
  /**
   * Runs `work` in a write transaction and resolves when it is on the disk, not merely visible. A throw rolls back all
   * that `work` wrote, and only that: commits of one turn of the event loop share a transaction and a flush.
   * @throws whatever `work` throws; StoreUnavailableError when the disk is full or fails
   */
  write<Result>(work: () => Result): Promise<Result>;
  /**
   * What is read from here on is not older than now. Only a process that does not write needs it: lmdb keeps one view for
   * up to a millisecond, and renews it by itself after commits of its own.
   */
  refresh(): void;
  close(): Promise<void>;
}

/** Room for every table, with some left for later versions. */
const TABLES_MAX = 24;

const LAYOUT = {
  // Every write here is an explicit transaction; the batches of a turn add only a promise that no caller can catch.
  eventTurnBatching: false,
  encoding: 'json',
  keyEncoding: 'binary',
  noSubdir: false,
} as const;

/** The tables in a process that reads what another one writes; that one must have opened them before. */
export function openTablesToRead(path: string): Tables {
  const root: RootDatabase<unknown, Buffer> = open({ ...LAYOUT, path, maxDbs: TABLES_MAX, readOnly: true });
  return {
    root,
    table: <Value>(name: string) => root.openDB<Value, Buffer>(name, { encoding: 'json', keyEncoding: 'binary' }),
    write: async () => {
      throw new TypeError('this process only reads the embedded store');
    },
    refresh: () => root.resetReadTxn(),
    close: () => root.close(),
  };
}

export function openTables(path: string): Tables {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // overlappingSync: a commit becomes visible before its flush ends, and the next one need not wait for the disk. LMDB
  // then goes back to the last flushed commit after a power cut. We wait for the flush ourselves, in `write`.
  const root: RootDatabase<unknown, Buffer> = open({
    ...LAYOUT,
    path,
    maxDbs: TABLES_MAX,
    overlappingSync: true,
  });
  return {
    root,
    table: <Value>(name: string) => root.openDB<Value, Buffer>(name, { encoding: 'json', keyEncoding: 'binary' }),
    write: async (work) => {
      let thrown: unknown;
      try {
        const result = await root.childTransaction(() => {
          try {
            return work();
          } catch (error) {
            thrown = error;
            throw error;
          }
        });
        await root.flushed;
        return result;
      } catch (error) {
        if (error === thrown && thrown !== undefined) throw error;
        throw new StoreUnavailableError('the embedded store does not take writes', { cause: await causeOf(error) });
      }
    },
    refresh: () => undefined,
    close: () => root.close(),
  };
}

/** lmdb rejects a second promise with what really happened; uncaught, it would end the process. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/** Rows from `low` up to, not including, `high`, in the order asked for. */
export function scan<Value>(
  table: Table<Value>,
  low: Buffer,
  high: Buffer,
  ascending: boolean,
  limit: number,
  offset = 0,
): Row<Value>[] {
  if (limit <= 0 || Buffer.compare(low, high) >= 0) return [];
  const range = ascending
    ? { start: low, end: high, limit, offset }
    : { start: high, exclusiveStart: true, end: low, inclusiveEnd: true, reverse: true, limit, offset };
  return collect(table.getRange(range));
}

/** Removes up to `limit` rows under `start`; true when none is left. Call it in a transaction. */
export function removeUnder(table: Table<unknown>, start: Buffer, limit: number): boolean {
  const keys = [...table.getKeys({ start, end: endOf(start), limit })].map((key) => Buffer.from(key));
  for (const key of keys) table.remove(key);
  return keys.length < limit;
}

function collect<Value>(range: Iterable<{ key: Buffer; value: Value }>): Row<Value>[] {
  const rows: Row<Value>[] = [];
  for (const { key, value } of range) rows.push({ key: Buffer.from(key), value });
  return rows;
}
