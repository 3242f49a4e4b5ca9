/**
 * The embedded store in a read-only process: reads go directly to LMDB, without a round trip and also while the store
 * process is unavailable; everything else goes to the store process.
 */
import { join } from 'node:path';
import type {
  AppendOptions,
  JournalEntry,
  Lease,
  LeaseStore,
  Log,
  ObjectStore,
  RecordStore,
  Store,
  VolatileStore,
  Write,
} from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { LmdbEdges } from '../lmdb/edges.js';
import { LmdbObjectReads } from '../lmdb/object-reads.js';
import { LmdbRecordReads } from '../lmdb/record-reads.js';
import { openTablesToRead, type Tables } from '../lmdb/tables.js';
import { RemoteBus } from './bus.js';
import { storeSocketPath, type VolatileText } from './calls.js';
import { StoreConnection } from './connection.js';
import { Together } from './together.js';

export interface RemoteStoreOptions {
  /** The embedded store is in `<dataDir>/store`, the socket beside it. */
  readonly dataDir: string;
  readonly log: Log;
  /** Time to wait for a store process that is still starting. */
  readonly readyWithinMs?: number;
}

class RemoteObjects extends LmdbObjectReads implements ObjectStore {
  readonly #connection: StoreConnection;

  constructor(tables: Tables, connection: StoreConnection) {
    super(tables, new LmdbEdges(tables, noSweeper));
    this.#connection = connection;
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length > 0) await this.#connection.call('commit', writes);
  }
}

class RemoteRecords extends LmdbRecordReads implements RecordStore {
  readonly #connection: StoreConnection;

  constructor(tables: Tables, connection: StoreConnection) {
    super(tables);
    this.#connection = connection;
  }

  async append(entries: readonly JournalEntry[], options: AppendOptions = {}): Promise<StoredRecord[]> {
    return entries.length === 0 ? [] : this.#connection.call('append', entries, options);
  }

  async delete(broadcastId: string): Promise<void> {
    await this.#connection.call('deleteRecords', broadcastId);
  }

  async keepUntil(broadcastId: string, untilMs: number): Promise<void> {
    await this.#connection.call('keepUntil', broadcastId, untilMs);
  }
}

export class RemoteStore implements Store {
  readonly name = 'lmdb';
  readonly isShared = true;
  readonly spansMachines = false;
  readonly objects: RemoteObjects;
  readonly records: RemoteRecords;
  readonly leases: LeaseStore;
  readonly volatile: VolatileStore;
  readonly bus: RemoteBus;
  readonly #tables: Tables;
  readonly #connection: StoreConnection;
  #closing: Promise<void> | undefined;

  /** @throws StoreUnavailableError if the store process does not respond in time */
  static async open({ dataDir, log, readyWithinMs }: RemoteStoreOptions): Promise<RemoteStore> {
    const connection = await StoreConnection.open(storeSocketPath(dataDir), log, readyWithinMs);
    try {
      return new RemoteStore(openTablesToRead(join(dataDir, 'store')), connection, log);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(tables: Tables, connection: StoreConnection, log: Log) {
    this.#tables = tables;
    this.#connection = connection;
    // Subscribed before all other listeners, so that events flow again when these are called.
    this.bus = new RemoteBus(connection, log);
    this.objects = new RemoteObjects(tables, connection);
    this.records = new RemoteRecords(tables, connection);
    const renewals = new Together<readonly [Lease, number], boolean>((asked) => renewed(connection, asked));
    const texts = new Together<VolatileText, void>(async (values) => {
      await connection.call('setVolatile', values);
      return [];
    });
    // What was asked before is sent before: a renewal must not arrive after the release that followed it.
    const call: StoreConnection['call'] = (name, ...args) => {
      renewals.flush();
      texts.flush();
      return connection.call(name, ...args);
    };
    this.leases = {
      acquire: (key, holder, ttlMs) => call('acquire', key, holder, ttlMs),
      renew: (lease, ttlMs) => renewals.add([lease, ttlMs]),
      reclaim: (lease, ttlMs) => call('reclaim', lease, ttlMs),
      release: (lease) => call('release', lease),
      holder: (key) => call('holder', key),
      takeOver: (from, holder, ttlMs) => call('takeOver', from, holder, ttlMs),
      proveAlive: (holder, ttlMs) => call('proveAlive', holder, ttlMs),
      isAlive: (holder) => call('isAlive', holder),
    };
    this.volatile = {
      set: (key, value, ttlMs) => texts.add([key, JSON.stringify(value ?? null), ttlMs]),
      get: (key) => call('getVolatile', key),
      setIn: (group, key, value, { max, ttlMs }) =>
        texts.add([key, JSON.stringify(value ?? null), ttlMs, { name: group, max }]),
      getIn: (group, key) => call('getVolatileIn', group, key),
    };
  }

  async ping(): Promise<void> {
    await this.#connection.call('ping');
  }

  onAvailability(listener: (available: boolean) => void): () => void {
    return this.#connection.onAvailability(listener);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.bus.close();
    this.#connection.close();
    await this.#tables.close();
  }
}

function noSweeper(): never {
  throw new TypeError('this process opened the embedded store read-only');
}

/** One call for each time to live: all publishers have the same. */
async function renewed(connection: StoreConnection, asked: readonly (readonly [Lease, number])[]): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let from = 0; from < asked.length; from = answers.length) {
    const ttlMs = asked[from]?.[1] ?? 0;
    const others = asked.findIndex(([, other], at) => at > from && other !== ttlMs);
    const same = asked.slice(from, others < 0 ? undefined : others);
    const answer = await connection.call(
      'renew',
      same.map(([lease]) => lease),
      ttlMs,
    );
    answers.push(...answer);
  }
  return answers;
}
