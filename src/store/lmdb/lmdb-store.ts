/** The embedded store: one LMDB environment in `<dataDir>/store`, open in one process, on a local disk. */
import { join } from 'node:path';
import type {
  Bus,
  Clock,
  EdgeEntry,
  EdgeName,
  EdgePage,
  JournalEntry,
  Lease,
  Log,
  PageQuery,
  RecordPage,
  RecordQuery,
  Store,
  StoredObject,
  Write,
} from '../../ports/index.js';
import { StoreUnavailableError } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import type { UpgradeStep } from '../shared/format.js';
import { LocalBus } from '../shared/local-bus.js';
import { EDGES, LmdbEdges } from './edges.js';
import { upgradeTables } from './format.js';
import { name } from './keys.js';
import { LmdbLeases } from './leases.js';
import { LmdbObjects } from './objects.js';
import { StoreOwner } from './owner.js';
import { LmdbRecords, RECORDS } from './records.js';
import { Sweeper } from './sweeper.js';
import { openTables, type Table, type Tables } from './tables.js';
import { VolatileValues } from './volatile-values.js';

export interface LmdbStoreOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Others than this program's own, for tests. */
  readonly upgrades?: readonly UpgradeStep<Tables>[];
}

export class LmdbStore implements Store {
  readonly kind = 'lmdb';
  readonly bus: Bus;
  readonly #bus: LocalBus;
  readonly #tables: Tables;
  readonly #owner: StoreOwner;
  readonly #sweeper: Sweeper;
  readonly #edges: LmdbEdges;
  readonly #objects: LmdbObjects;
  readonly #records: LmdbRecords;
  readonly #leases: LmdbLeases;
  readonly #volatile: VolatileValues;
  readonly #pings: Table<number>;
  readonly #clock: Clock;
  #closing: Promise<void> | undefined;

  /** @throws StoreInUseError when another process has it open, StoreFormatError when a newer program wrote it */
  static async open({ dataDir, log, clock, upgrades }: LmdbStoreOptions): Promise<LmdbStore> {
    const path = join(dataDir, 'store');
    const tables = openTables(path);
    let owner: StoreOwner | undefined;
    try {
      owner = StoreOwner.claim(tables, path, clock.wallMs());
      await upgradeTables(tables, `the store in ${path}`, log, upgrades);
      const store = new LmdbStore(tables, owner, log, clock);
      await store.#records.expire();
      return store;
    } catch (error) {
      // What made the start fail is the error to report, also where the disk takes no write.
      await owner?.release().catch(() => undefined);
      await tables.close();
      throw error;
    }
  }

  private constructor(tables: Tables, owner: StoreOwner, log: Log, clock: Clock) {
    this.#tables = tables;
    this.#owner = owner;
    this.#clock = clock;
    this.#bus = new LocalBus(log);
    this.bus = this.#bus;
    this.#edges = new LmdbEdges(tables, () => this.#sweeper);
    this.#records = new LmdbRecords(tables, () => this.#sweeper, clock, log);
    this.#sweeper = new Sweeper(
      tables,
      new Map([
        [EDGES, this.#edges.rows],
        [RECORDS, this.#records.rows],
      ]),
      log,
    );
    this.#objects = new LmdbObjects(tables, this.#edges, this.#sweeper);
    this.#leases = new LmdbLeases(tables, clock);
    this.#volatile = new VolatileValues(tables, clock, log);
    this.#pings = tables.table<number>('pings');
    this.#sweeper.wake();
  }

  async get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined> {
    return this.#objects.get(id) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    return ids.map((id) => this.#objects.get(id));
  }

  async resolveAlias(alias: string): Promise<string | undefined> {
    return this.#objects.resolveAlias(alias);
  }

  async commit(writes: readonly Write[]): Promise<void> {
    await this.#objects.commit(writes);
  }

  async page(edge: EdgeName, query: PageQuery): Promise<EdgePage> {
    return this.#edges.page(edge, query);
  }

  async pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    return requests.map((request) => this.#edges.page(request.name, request.query));
  }

  async edgeSize(edge: EdgeName): Promise<number> {
    return this.#edges.size(edge);
  }

  async edgeEntry(edge: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    return this.#edges.entry(edge, member);
  }

  async counters(owner: string, names: readonly string[]): Promise<number[]> {
    return this.#edges.counters(owner, names);
  }

  async append(entries: readonly JournalEntry[]): Promise<StoredRecord[]> {
    return this.#records.append(entries);
  }

  async records(broadcastId: string, query: RecordQuery): Promise<RecordPage> {
    return this.#records.records(broadcastId, query);
  }

  async record(broadcastId: string, id: string): Promise<StoredRecord | undefined> {
    return this.#records.record(broadcastId, id);
  }

  async recordCounts(broadcastId: string) {
    return this.#records.counts(broadcastId);
  }

  async deleteRecords(broadcastId: string): Promise<void> {
    await this.#records.delete(broadcastId);
  }

  async keepRecordsUntil(broadcastId: string, untilMs: number): Promise<void> {
    await this.#records.keepUntil(broadcastId, untilMs);
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    return this.#leases.acquire(key, holder, ttlMs);
  }

  async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#leases.renew(lease, ttlMs);
  }

  async reclaim(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#leases.reclaim(lease, ttlMs);
  }

  async release(lease: Lease): Promise<void> {
    this.#leases.release(lease);
  }

  async holder(key: string): Promise<Lease | undefined> {
    return this.#leases.holder(key);
  }

  async setVolatile(key: string, value: unknown, ttlMs: number): Promise<void> {
    this.#volatile.set(key, value, ttlMs);
  }

  async getVolatile(key: string): Promise<unknown> {
    return this.#volatile.get(key);
  }

  async ping(): Promise<void> {
    try {
      const nowMs = this.#clock.wallMs();
      await this.#tables.write(() => this.#pings.put(name('ping'), nowMs));
      if (this.#pings.get(name('ping')) === undefined) throw new Error('a value just written is not there');
    } catch (cause) {
      throw new StoreUnavailableError('the embedded store does not take writes', { cause });
    }
  }

  onAvailability(): () => void {
    return () => undefined;
  }

  /** Resolves when deletes in the background are done; tests and shutdown wait for it. */
  async settled(): Promise<void> {
    await this.#sweeper.settled();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#records.close();
    this.#bus.close();
    await this.#volatile.close();
    await this.#sweeper.close();
    await this.#owner.release();
    await this.#tables.close();
  }
}
