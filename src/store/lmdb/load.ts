/** Writes the rows of a backup into a new embedded store beside the old one; `finish` replaces the old one with it. */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../lib/objects.js';
import type { Clock, JournalEntry, Log, StoredObject } from '../../ports/index.js';
import { BackupRefusedError, type LogRow, type StoreLoader, type StoreRow } from '../dump/rows.js';
import { requireName, requireScore } from '../shared/names.js';
import { RECORDS_KEPT_MS } from '../shared/record-rules.js';
import { LmdbEdges } from './edges.js';
import { LMDB_FORMAT, saveFormat } from './format.js';
import { name } from './keys.js';
import { LmdbStore } from './lmdb-store.js';
import { StoreOwner } from './owner.js';
import { emptyHead, RecordLog } from './record-log.js';
import { saveHead } from './records.js';
import { makeStoreFolder, openTables, removeUnder, type Tables } from './tables.js';
import { nameOf, type VolatileRow } from './volatile-values.js';

export interface LmdbLoaderOptions {
  readonly dataDir: string;
  readonly replace: boolean;
  readonly log: Log;
  readonly clock: Clock;
}

/** Data folder in which the new store is built, so that it can be opened like any other store. */
const DRAFT = 'restoring';

export class LmdbLoader implements StoreLoader {
  readonly #options: LmdbLoaderOptions;
  readonly #tables: Tables;
  readonly #edges: LmdbEdges;
  /** Prevents servers from opening the store that is replaced. */
  #claim: Claim | undefined;
  /** The new store, once all rows are in it. */
  #store: LmdbStore | undefined;
  #log: RecordLog | undefined;
  #logId = '';
  #isClosed = false;

  /** @throws BackupRefusedError, StoreInUseError */
  static async open(options: LmdbLoaderOptions): Promise<LmdbLoader> {
    const { dataDir, replace, clock } = options;
    const path = join(dataDir, 'store');
    const exists = existsSync(join(path, 'data.mdb'));
    const claim = exists ? await Claim.of(path, clock.wallMs()) : undefined;
    if (exists && !replace) {
      await claim?.release();
      throw new BackupRefusedError(`${path} already holds a store: restore into an empty folder or pass --force`);
    }
    await rm(join(dataDir, DRAFT), { recursive: true, force: true });
    const draft = join(dataDir, DRAFT, 'store');
    makeStoreFolder(draft);
    return new LmdbLoader(options, openTables(draft), claim);
  }

  private constructor(options: LmdbLoaderOptions, tables: Tables, claim: Claim | undefined) {
    this.#options = options;
    this.#tables = tables;
    this.#claim = claim;
    this.#edges = new LmdbEdges(tables, () => {
      throw new Error('a restore does not delete');
    });
  }

  async load(rows: readonly StoreRow[]): Promise<void> {
    await this.#tables.write(() => {
      for (const row of rows) this.#put(row);
      this.#saveLog();
    });
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    if (this.#store === undefined) {
      const { log, clock, dataDir } = this.#options;
      await this.#closeTables();
      this.#store = await LmdbStore.open({ dataDir: join(dataDir, DRAFT), log, clock });
    }
    await this.#store.records.append(entries);
  }

  async finish(): Promise<void> {
    const { dataDir } = this.#options;
    await this.#closeTables();
    await this.#closeStore();
    await this.#releaseClaim();
    const path = join(dataDir, 'store');
    if (existsSync(path)) await rename(path, join(dataDir, DRAFT, 'former'));
    await rename(join(dataDir, DRAFT, 'store'), path);
    await rm(join(dataDir, DRAFT), { recursive: true });
  }

  async close(): Promise<void> {
    await this.#closeTables();
    await this.#closeStore();
    await this.#releaseClaim();
    await rm(join(this.#options.dataDir, DRAFT), { recursive: true, force: true });
  }

  async #closeTables(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await saveFormat(this.#tables, LMDB_FORMAT);
    await this.#tables.close();
  }

  async #closeStore(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  async #releaseClaim(): Promise<void> {
    const claim = this.#claim;
    this.#claim = undefined;
    await claim?.release();
  }

  #put(row: StoreRow): void {
    const tables = this.#tables;
    switch (row.t) {
      case 'object':
        tables.table<StoredObject>('objects').put(name(requireName(row.object.id, 'an id')), row.object);
        return;
      case 'alias':
        tables.table<string>('aliases').put(name(requireName(row.alias, 'an alias')), requireName(row.id, 'an id'));
        return;
      case 'edge':
        this.#edges.add(row, row);
        return;
      case 'counter':
        this.#edges.setCounter(row.owner, row.counter, row.value);
        return;
      case 'log':
        this.#saveLog();
        this.#openLog(row);
        return;
      case 'record':
        if (row.log !== this.#logId) throw new RangeError(`a record of ${row.log} does not follow its log`);
        this.#log?.restore(row.record);
        return;
      case 'fence':
        tables.table<number>('fences').put(name(requireName(row.key, 'a lease')), requireScore(row.fence, 'a fence'));
        return;
      case 'volatile': {
        const { group, key, text, untilMs } = row;
        const value = { ...defined({ group }), key, text, untilWallMs: untilMs };
        tables.table<VolatileRow>('volatile').put(name(nameOf(group, key)), value);
        return;
      }
      default:
        throw new RangeError(`unknown row ${JSON.stringify(row satisfies never)}`);
    }
  }

  #openLog(row: LogRow): void {
    const { id, total, uncounted, lastRevision, applied, keepUntilMs, expiresMs, deleted } = row;
    const rows = this.#tables.table<unknown>('records');
    const lastAppendMs = Math.max(expiresMs - RECORDS_KEPT_MS, 1);
    const head = { ...emptyHead(), total, uncounted, lastRevision, keepUntilMs, lastAppendMs, deleted };
    this.#log = new RecordLog(rows, this.#tables.table('records'), requireName(id, 'a broadcast id'), {
      ...head,
      applied: { ...applied },
    });
    this.#logId = id;
    while (!removeUnder(rows, this.#log.range(), 1_000));
  }

  #saveLog(): void {
    if (this.#log !== undefined) saveHead(this.#tables, this.#logId, this.#log.head);
  }
}

/** Claims a store without opening its tables. */
class Claim {
  readonly #tables: Tables;
  readonly #owner: StoreOwner;

  static async of(path: string, wallMs: number): Promise<Claim> {
    const tables = openTables(path);
    try {
      return new Claim(tables, StoreOwner.claim(tables, path, wallMs));
    } catch (error) {
      await tables.close();
      throw error;
    }
  }

  private constructor(tables: Tables, owner: StoreOwner) {
    this.#tables = tables;
    this.#owner = owner;
  }

  async release(): Promise<void> {
    await this.#owner.release();
    await this.#tables.close();
  }
}
