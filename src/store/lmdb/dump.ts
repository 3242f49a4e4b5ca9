/**
 * The rows of an embedded store, read in one transaction: a consistent snapshot, also while a server writes. Old pages
 * cannot be reused while the transaction is open, so the file of a busy server grows meanwhile.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Transaction } from 'lmdb';
import { defined, isObject } from '../../lib/objects.js';
import type { StoredObject } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { BackupRefusedError, type StoreDump, type StoreRow } from '../dump/rows.js';
import { needsUpgrade } from '../shared/format.js';
import { LMDB_FORMAT, readFormat } from './format.js';
import { endOf, name, prefix, readUint53 } from './keys.js';
import type { RecordHead } from './record-log.js';
import { expiryOf } from './records.js';
import { openTables, type Row, type Table, type Tables } from './tables.js';
import type { VolatileRow } from './volatile-values.js';

const ROWS_PER_BATCH = 200;

export class LmdbDump implements StoreDump {
  readonly store = 'lmdb';
  readonly format = LMDB_FORMAT;
  readonly #tables: Tables;

  /** @throws BackupRefusedError, StoreFormatError */
  static async open(dataDir: string): Promise<LmdbDump> {
    const path = join(dataDir, 'store');
    if (!existsSync(join(path, 'data.mdb'))) throw new BackupRefusedError(`no store in ${path}`);
    const tables = openTables(path);
    try {
      // All formats so far have the same rows; the first upgrade step that changes a layout must reject older ones here.
      needsUpgrade({ where: `the store in ${path}`, found: readFormat(tables) }, LMDB_FORMAT);
      return new LmdbDump(tables);
    } catch (error) {
      await tables.close();
      throw error;
    }
  }

  private constructor(tables: Tables) {
    this.#tables = tables;
  }

  async *batches(): AsyncGenerator<readonly StoreRow[]> {
    const tables = this.#tables;
    const rows = tables.table<unknown>('edges');
    const generations = tables.table<number>('generations');
    const objects = tables.table<StoredObject>('objects');
    const aliases = tables.table<string>('aliases');
    const fences = tables.table<number>('fences');
    const volatile = tables.table<VolatileRow>('volatile');
    const heads = tables.table<RecordHead>('heads');
    const records = tables.table<StoredRecord>('records');
    // A transaction sees only the tables that were open when it began.
    const transaction = tables.root.useReadTransaction();
    try {
      yield* mapped(objects, transaction, ({ value }) => ({ t: 'object', object: value }));
      yield* mapped(aliases, transaction, ({ key, value }) => ({ t: 'alias', alias: nameOf(key), id: value }));
      yield* mapped(rows, transaction, (row) => edgeRow(row, generations, transaction));
      yield* logs(heads, records, transaction);
      yield* mapped(fences, transaction, ({ key, value }) => ({ t: 'fence', key: nameOf(key), fence: value }));
      yield* mapped(volatile, transaction, ({ value: { group, key, text, untilWallMs } }) => ({
        t: 'volatile',
        ...defined({ group }),
        key,
        text,
        untilMs: untilWallMs,
      }));
    } finally {
      transaction.done();
    }
  }

  async close(): Promise<void> {
    await this.#tables.close();
  }
}

async function* logs(
  heads: Table<RecordHead>,
  records: Table<StoredRecord>,
  transaction: Transaction,
): AsyncGenerator<readonly StoreRow[]> {
  for await (const batch of batches(heads, transaction)) {
    for (const { key, value: head } of batch) {
      const id = nameOf(key);
      const { total, uncounted, lastRevision, applied, keepUntilMs, deleted } = head;
      const expiresMs = expiryOf(head);
      yield [{ t: 'log', id, total, uncounted, lastRevision, applied, keepUntilMs, expiresMs, deleted }];
      for await (const found of batches(records, transaction, prefix(id, head.generation, 'r'))) {
        yield found.map(({ value }) => ({ t: 'record', log: id, record: value }) as const);
      }
    }
  }
}

async function* mapped<Value>(
  table: Table<Value>,
  transaction: Transaction,
  rowOf: (row: Row<Value>) => StoreRow | undefined,
): AsyncGenerator<readonly StoreRow[]> {
  for await (const batch of batches(table, transaction)) {
    yield batch.flatMap((row) => rowOf(row) ?? []);
  }
}

/** All rows, or those whose key starts with `start`. */
async function* batches<Value>(
  table: Table<Value>,
  transaction: Transaction,
  start?: Buffer,
): AsyncGenerator<readonly Row<Value>[]> {
  const end = start === undefined ? {} : { end: endOf(start) };
  for (let from = start, first = true; ; first = false) {
    const range = { ...end, limit: ROWS_PER_BATCH, transaction, ...defined({ start: from }) };
    const rows: Row<Value>[] = [];
    for (const { key, value } of table.getRange(first ? range : { ...range, exclusiveStart: true })) {
      rows.push({ key: Buffer.from(key), value });
    }
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_BATCH) return;
    from = rows.at(-1)?.key;
    await turn();
  }
}

/** Dumps places of edges, and counters. Members and sizes are derived from places; rows of old generations are deleted. */
function edgeRow(row: Row<unknown>, generations: Table<number>, transaction: Transaction): StoreRow | undefined {
  const { key, value } = row;
  const ownerEnd = key.indexOf(0);
  const owner = key.toString('utf8', 0, ownerEnd);
  const kind = key.toString('latin1', ownerEnd + 5, ownerEnd + 6);
  if (kind !== 'e' && kind !== 'c') return undefined;
  if (key.readUInt32BE(ownerEnd + 1) !== (generations.get(name(owner), { transaction }) ?? 0)) return undefined;
  const nameEnd = key.indexOf(0, ownerEnd + 6);
  const text = key.toString('utf8', ownerEnd + 6, nameEnd);
  if (kind === 'c') return { t: 'counter', owner, counter: text, value: Number(value) };
  const score = readUint53(key, nameEnd + 1);
  const member = key.toString('utf8', nameEnd + 9);
  const kept = isObject(value) && 'v' in value ? { value: value.v } : {};
  return { t: 'edge', owner, edge: text, member, score, ...kept };
}

/** The name without its terminating NUL. */
function nameOf(key: Buffer): string {
  return key.toString('utf8', 0, key.length - 1);
}
