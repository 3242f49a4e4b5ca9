/** The store in Redis: one server, Sentinel or Cluster, for more than one process or machine. */
import { randomUUID } from 'node:crypto';
import { type Clock, type Log, type Store, StoreUnavailableError } from '../../ports/index.js';
import type { UpgradeStep } from '../shared/format.js';
import { parseRedisUrl } from './address.js';
import { RedisBus } from './bus.js';
import { RedisConnection } from './connection.js';
import { type RedisAccess, upgradeRedis } from './format.js';
import { Intents } from './intents.js';
import { RedisKeys } from './keys.js';
import { RedisLeases } from './leases.js';
import { RedisObjects } from './objects.js';
import { RedisRecords } from './records.js';
import { RedisVolatile } from './volatile.js';

export interface RedisStoreOptions {
  /** `REDIS_URL`; forms in address.ts. */
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Replaces the upgrade steps of this program, for tests. */
  readonly upgrades?: readonly UpgradeStep<RedisAccess>[];
}

export class RedisStore implements Store {
  readonly name = 'redis';
  readonly isShared = true;
  readonly spansMachines = true;
  readonly objects: RedisObjects;
  readonly records: RedisRecords;
  readonly leases: RedisLeases;
  readonly volatile: RedisVolatile;
  readonly bus: RedisBus;
  readonly #connection: RedisConnection;
  readonly #intents: Intents;
  readonly #pingKey: string;

  /**
   * @throws RangeError for an invalid URL, StoreUnavailableError if Redis cannot be reached within 1.5 s, StoreFormatError
   * if a newer version wrote the store
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
    this.bus = new RedisBus(connection, keys, log);
    this.#intents = new Intents(connection, keys, log, clock);
    this.objects = new RedisObjects(connection, keys, this.#intents);
    this.records = new RedisRecords(connection, keys);
    this.leases = new RedisLeases(connection, keys);
    this.volatile = new RedisVolatile(connection, keys);
    this.#pingKey = `${keys.base(`ping:${randomUUID()}`)}:v`;
    if (connection.isCluster) this.#intents.watch((txid, groups) => this.objects.replay(txid, groups));
  }

  get client(): object {
    return this.#connection.client;
  }

  async ping(): Promise<void> {
    try {
      await this.#connection.send('SET', this.#pingKey, '1', 'PX', 60_000);
      await this.#connection.send('GET', this.#pingKey);
    } catch (cause) {
      if (cause instanceof StoreUnavailableError) throw cause;
      throw new StoreUnavailableError(`Redis at ${this.#connection.shown} does not accept writes`, { cause });
    }
  }

  onAvailability(listener: (available: boolean) => void): () => void {
    return this.#connection.onAvailability(listener);
  }

  async close(): Promise<void> {
    this.#intents.close();
    this.bus.close();
    this.#connection.close();
  }
}
