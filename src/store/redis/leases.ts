/** Leases in Redis, by the clock of Redis. */
import type { Lease, LeaseStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { numberOf, textOrNothing } from './replies.js';
import { ACQUIRE, RECLAIM, RELEASE, RENEW } from './scripts/lease.js';

export class RedisLeases implements LeaseStore {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;

  constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    requireName(holder, 'a holder');
    const keys = [this.#key(requireName(key, 'a lease')), `${this.#keys.base(key)}:fence`];
    const fence = textOrNothing(await this.#connection.run(ACQUIRE, keys, [holder, Math.ceil(ttlMs)]));
    return fence === undefined ? undefined : { key, holder, fence: Number(fence) };
  }

  async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return numberOf(await this.#connection.run(RENEW, [this.#key(lease.key)], [held(lease), Math.ceil(ttlMs)])) === 1;
  }

  async reclaim(lease: Lease, ttlMs: number): Promise<boolean> {
    const keys = [this.#key(lease.key), `${this.#keys.base(lease.key)}:fence`];
    const answer = await this.#connection.run(RECLAIM, keys, [held(lease), Math.ceil(ttlMs), String(lease.fence)]);
    return numberOf(answer) === 1;
  }

  async release(lease: Lease): Promise<void> {
    await this.#connection.run(RELEASE, [this.#key(lease.key)], [held(lease)]);
  }

  async holder(key: string): Promise<Lease | undefined> {
    if (!isName(key)) return undefined;
    const value = textOrNothing(await this.#connection.send('GET', this.#key(key)));
    if (value === undefined) return undefined;
    const bar = value.indexOf('|');
    return { key, holder: value.slice(bar + 1), fence: Number(value.slice(0, bar)) };
  }

  #key(key: string): string {
    return `${this.#keys.base(key)}:l`;
  }
}

function held(lease: Lease): string {
  return `${lease.fence}|${lease.holder}`;
}
