/** The embedded store: one LMDB environment in `<dataDir>/store`, open in one process, on a local disk. */
import { join } from 'node:path';
import type { Clock, Log, Store } from '../../ports/index.js';
import type { UpgradeStep } from '../shared/format.js';
import { LocalBus } from '../shared/local-bus.js';
import { EDGES, LmdbEdges } from './edges.js';
import { upgradeTables } from './format.js';
import { LmdbLeases } from './leases.js';
import { LmdbObjects } from './objects.js';
import { StoreOwner } from './owner.js';
import { LmdbRecords, RECORDS } from './records.js';
import { Sweeper } from './sweeper.js';
import { makeStoreFolder, openTables, type Tables } from './tables.js';
import { VolatileValues } from './volatile-values.js';

export interface LmdbStoreOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Replaces the upgrade steps of this program, for tests. */
  readonly upgrades?: readonly UpgradeStep<Tables>[];
}

export class LmdbStore implements Store {
  readonly name = 'lmdb';
  readonly isShared = false;
  readonly spansMachines = false;
  readonly objects: LmdbObjects;
  readonly records: LmdbRecords;
  readonly leases: LmdbLeases;
  readonly volatile: VolatileValues;
  readonly bus: LocalBus;
  readonly #tables: Tables;
  readonly #owner: StoreOwner;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | undefined;

  /** @throws StoreInUseError if another process has it open, StoreFormatError if a newer version wrote it, DiskFullError */
  static async open({ dataDir, log, clock, upgrades }: LmdbStoreOptions): Promise<LmdbStore> {
    const path = join(dataDir, 'store');
    makeStoreFolder(path);
    const tables = openTables(path, log);
    let owner: StoreOwner | undefined;
    try {
      owner = StoreOwner.claim(tables, path, clock.wallMs());
      await upgradeTables(tables, `the store in ${path}`, log, upgrades);
      const store = new LmdbStore(tables, owner, log, clock);
      await store.records.expire();
      return store;
    } catch (error) {
      // Report the error that made the start fail, even if cleaning up fails on an unwritable disk.
      await owner?.release().catch(() => undefined);
      await tables.close();
      throw error;
    }
  }

  private constructor(tables: Tables, owner: StoreOwner, log: Log, clock: Clock) {
    this.#tables = tables;
    this.#owner = owner;
    this.bus = new LocalBus(log);
    const edges = new LmdbEdges(tables, () => this.#sweeper);
    this.records = new LmdbRecords(tables, () => this.#sweeper, clock, log);
    this.#sweeper = new Sweeper(
      tables,
      new Map([
        [EDGES, edges.rows],
        [RECORDS, this.records.rows],
      ]),
      log,
    );
    this.objects = new LmdbObjects(tables, edges, this.#sweeper);
    this.leases = new LmdbLeases(tables, clock);
    this.volatile = new VolatileValues(tables, clock, log);
    this.#sweeper.wake();
  }

  async ping(): Promise<void> {
    await this.#tables.probe();
  }

  onAvailability(): () => void {
    return () => undefined;
  }

  /** Resolves when background deletes are done, for tests and shutdown. */
  async settled(): Promise<void> {
    await this.#sweeper.settled();
  }

  /** Frees the reader slots of ended processes: pages in their snapshots cannot be reused while the slots are taken. */
  clearStaleReaders(): void {
    this.#tables.root.readerCheck();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.records.close();
    this.bus.close();
    await this.volatile.close();
    await this.#sweeper.close();
    await this.#owner.release();
    await this.#tables.close();
  }
}
