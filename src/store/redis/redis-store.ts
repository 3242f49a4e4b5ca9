/** The store in Redis: one server, Sentinel or Cluster, for more than one process or machine. */
import { randomUUID } from 'node:crypto';
import {
  type AppendOptions,
  type Bus,
  type Clock,
  type EdgeEntry,
  type EdgeName,
  type EdgePage,
  type Gathered,
  type Gathering,
  type JournalEntry,
  type Lease,
  type Log,
  type PageQuery,
  type RecordPage,
  type RecordQuery,
  type Store,
  type StoredObject,
  StoreUnavailableError,
  type Write,
} from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import type { UpgradeStep } from '../shared/format.js';
import { isName, requireName } from '../shared/names.js';
import { parseRedisUrl } from './address.js';
import { RedisBus } from './bus.js';
import { RedisConnection } from './connection.js';
import { RedisEdges } from './edges.js';
import { type RedisAccess, upgradeRedis } from './format.js';
import { gather } from './gather.js';
import { Intents } from './intents.js';
import { RedisKeys } from './keys.js';
import { RedisLeases } from './leases.js';
import { RedisObjects } from './objects.js';
import { RedisRecords } from './records.js';
import { textOrNothing } from './replies.js';

export interface RedisStoreOptions {
  /** See address.ts for its forms. */
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Others than this program's own, for tests. */
  readonly upgrades?: readonly UpgradeStep<RedisAccess>[];
}

export class RedisStore implements Store {
  readonly kind = 'redis';
  readonly bus: Bus;
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #bus: RedisBus;
  readonly #edges: RedisEdges;
  readonly #intents: Intents;
  readonly #objects: RedisObjects;
  readonly #records: RedisRecords;
  readonly #leases: RedisLeases;
  readonly #pingKey: string;
  readonly gather: ((wanted: Gathering) => Promise<Gathered>) | undefined;

  /**
   * @throws RangeError for a URL that is none, StoreUnavailableError when Redis cannot be reached in a second and a half,
   * StoreFormatError when a newer program wrote it
   */
  static async open({ url, log, clock, upgrades }: RedisStoreOptions): Promise<RedisStore> {
    const address = parseRedisUrl(url);
    const connection = await RedisConnection.open(address, log);
    const keys = new RedisKeys(address.prefix);
    try {
      await upgradeRedis({ connection, keys }, log, upgrades);
    } catch (error) {
      connection.close();
      throw error;
    }
    return new RedisStore(connection, keys, log, clock);
  }

  private constructor(connection: RedisConnection, keys: RedisKeys, log: Log, clock: Clock) {
    this.#connection = connection;
    this.#keys = keys;
    this.#bus = new RedisBus(connection, keys, log);
    this.bus = this.#bus;
    this.#edges = new RedisEdges(connection, keys);
    this.#intents = new Intents(connection, keys, log, clock);
    this.#objects = new RedisObjects(connection, keys, this.#intents);
    this.#records = new RedisRecords(connection, keys);
    this.#leases = new RedisLeases(connection, keys);
    this.#pingKey = `${keys.base(`ping:${randomUUID()}`)}:v`;
    this.gather = connection.isCluster ? undefined : (wanted) => gather(connection, this.#keys, wanted);
    if (connection.isCluster) this.#intents.watch((txid, groups) => this.#objects.replay(txid, groups));
  }

  get client(): object {
    return this.#connection.client;
  }

  async get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined> {
    return (await this.#objects.get(id)) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    return this.#objects.getMany(ids);
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

  /** All are sent before the first answer is waited for. */
  async pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    return Promise.all(requests.map((request) => this.#edges.page(request.name, request.query)));
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

  async append(entries: readonly JournalEntry[], options?: AppendOptions): Promise<StoredRecord[]> {
    return this.#records.append(entries, options?.refuseGaps ?? false);
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
    await this.#leases.release(lease);
  }

  async holder(key: string): Promise<Lease | undefined> {
    return this.#leases.holder(key);
  }

  async setVolatile(key: string, value: unknown, ttlMs: number): Promise<void> {
    const text = JSON.stringify(value ?? null);
    await this.#connection.send('SET', this.#volatileKey(requireName(key, 'a key')), text, 'PX', Math.ceil(ttlMs));
  }

  async getVolatile(key: string): Promise<unknown> {
    if (!isName(key)) return undefined;
    const text = textOrNothing(await this.#connection.send('GET', this.#volatileKey(key)));
    return text === undefined ? undefined : JSON.parse(text);
  }

  async ping(): Promise<void> {
    try {
      await this.#connection.send('SET', this.#pingKey, '1', 'PX', 60_000);
      await this.#connection.send('GET', this.#pingKey);
    } catch (cause) {
      if (cause instanceof StoreUnavailableError) throw cause;
      throw new StoreUnavailableError(`Redis at ${this.#connection.shown} does not take writes`, { cause });
    }
  }

  onAvailability(listener: (available: boolean) => void): () => void {
    return this.#connection.onAvailability(listener);
  }

  async close(): Promise<void> {
    this.#intents.close();
    this.#bus.close();
    this.#connection.close();
  }

  #volatileKey(key: string): string {
    return `${this.#keys.base(key)}:v`;
  }
}
