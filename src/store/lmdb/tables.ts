/** The LMDB environment of a data folder and its tables. Values are JSON. */
import { mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { unwritable } from '../../lib/folder-owner.js';
import { requireRoom } from '../../lib/room.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { endOf, name } from './keys.js';
import { WriteGroups } from './write-groups.js';

export type Table<Value> = Database<Value, Buffer>;

export interface Row<Value> {
  readonly key: Buffer;
  readonly value: Value;
}

export interface Tables {
  readonly root: RootDatabase<unknown, Buffer>;
  table<Value>(name: string): Table<Value>;
  /**
   * Runs `work` in a write transaction and resolves when it is on the disk, not merely visible. A throw rolls back only
   * what `work` wrote: commits of one event-loop turn, or of some milliseconds while there are many, share a transaction and a
   * flush, and are made in the order of the calls.
   * @throws errors of `work`; StoreUnavailableError if the disk is full or fails
   */
  write<Result>(work: () => Result): Promise<Result>;
  /**
   * Writes a row and reads it: a few bytes, or as many as a large write needs once a write has failed, because LMDB can
   * still store a small one in pages that it has freed.
   * @throws StoreUnavailableError
   */
  probe(): Promise<void>;
  /**
   * Makes later reads see everything committed until now. Only read-only processes need it: lmdb keeps a snapshot for up
   * to a millisecond, and renews it after commits of its own process.
   */
  refresh(): void;
  close(): Promise<void>;
}

/** More than the number of tables, to leave room for later versions. */
const TABLES_MAX = 24;

/** More than any write of the interface; 16 pages of LMDB that lie together. */
const PROBE_BYTES = 64 * 1024;
const PING = name('ping');

/**
 * Addresses that each process reserves for the file, not memory. lmdb begins with 128 KB and maps the file anew whenever it has outgrown
 * the map, in every process; it keeps the earlier maps for snapshots that still read them, and their pages count as resident. A larger
 * store grows as before.
 */
const MAP_BYTES = 2 ** 36;

/** Empty where addresses are limited (`ulimit -v`), or may be: lmdb crashes when the system refuses the map. */
function mapSize(): { readonly mapSize?: number } {
  try {
    const isUnlimited = /^Max address space +unlimited/m.test(readFileSync('/proc/self/limits', 'latin1'));
    return isUnlimited ? { mapSize: MAP_BYTES } : {};
  } catch {
    return {};
  }
}

const LAYOUT = {
  // Every write is an explicit transaction; batching per turn would add only a promise that no caller can catch.
  eventTurnBatching: false,
  encoding: 'json',
  keyEncoding: 'binary',
  noSubdir: false,
} as const;

/** The tables in a read-only process; the writing process must have opened them before. */
export function openTablesToRead(path: string): Tables {
  const root = opened(path, { readOnly: true });
  return {
    root,
    table: <Value>(name: string) => root.openDB<Value, Buffer>(name, { encoding: 'json', keyEncoding: 'binary' }),
    write: readOnly,
    probe: readOnly,
    refresh: () => root.resetReadTxn(),
    close: () => root.close(),
  };
}

/** LMDB names neither a file of another user nor its owner, or crashes. @throws StoreUnavailableError for such a file */
function opened(path: string, options: { readOnly?: true; overlappingSync?: true }): RootDatabase<unknown, Buffer> {
  for (const file of ['lock.mdb', 'data.mdb']) {
    const problem = unwritable(join(path, file), dirname(path));
    if (problem !== '') throw new StoreUnavailableError(`the store cannot be opened: ${problem}`);
  }
  return open({ ...LAYOUT, ...mapSize(), path, maxDbs: TABLES_MAX, ...options });
}

async function readOnly(): Promise<never> {
  throw new TypeError('this process opened the embedded store read-only');
}

/** Creates the folder of a store. @throws DiskFullError if LMDB could not write there */
export function makeStoreFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  requireRoom(path);
}

/** `log` gets a line when writes begin to fail, and one when they succeed again. */
export function openTables(path: string, log?: Log): Tables {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // overlappingSync: a commit becomes visible before its flush ends, and the next one need not wait for the disk. After a
  // power failure LMDB returns to the last flushed commit. `write` waits for the flush.
  const root = opened(path, { overlappingSync: true });
  const groups = new WriteGroups();
  const pings = root.openDB<string, Buffer>('pings', { encoding: 'json', keyEncoding: 'binary' });
  /** A write failed, and no probe has succeeded since. */
  let isFailing = false;
  const write = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return await new Promise<Result>((resolve, reject) =>
        groups.add(() => written(root, path, work).then(resolve, reject)),
      );
    } catch (error) {
      if (error instanceof StoreUnavailableError && !isFailing) {
        isFailing = true;
        log?.error({ path, error }, error.message);
      }
      throw error;
    }
  };
  return {
    root,
    table: <Value>(name: string) => root.openDB<Value, Buffer>(name, { encoding: 'json', keyEncoding: 'binary' }),
    write,
    probe: async () => {
      const wasFailing = isFailing;
      const value = 'x'.repeat(wasFailing ? PROBE_BYTES : 1);
      await write(() => pings.put(PING, value));
      if (pings.get(PING) === undefined) throw new StoreUnavailableError('a value that was just written is missing');
      if (!wasFailing) return;
      isFailing = false;
      log?.info({ path }, 'the embedded store accepts writes again');
    },
    refresh: () => undefined,
    close: () => {
      groups.flush();
      return root.close();
    },
  };
}

async function written<Result>(root: Tables['root'], path: string, work: () => Result): Promise<Result> {
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
    const cause = await causeOf(error);
    const reason = isFull(path) ? 'its disk is full' : cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnavailableError(`the embedded store does not accept writes: ${reason}`, { cause });
  }
}

/** LMDB calls a write that the disk took in part an input or output error. */
function isFull(path: string): boolean {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize < PROBE_BYTES;
}

/** lmdb rejects a second promise with the actual cause; unhandled, it would end the process. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/** Rows from `low` (inclusive) to `high` (exclusive), ascending or descending. */
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

/** Removes up to `limit` rows under `start`; true if none is left. Call it in a transaction. */
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
