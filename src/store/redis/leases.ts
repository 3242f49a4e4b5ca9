/** Leases in Redis, by the clock of Redis. */
import type { Lease, LeaseStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { numberOf, textOrNothing } from './replies.js';
import { ACQUIRE, RECLAIM, RELEASE, RENEW, TAKE_OVER } from './scripts/lease.js';

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

  async takeOver(from: Lease, holder: string, ttlMs: number): Promise<Lease | undefined> {
    requireName(holder, 'a holder');
    const { key } = from;
    const keys = [this.#key(key), `${this.#keys.base(key)}:fence`];
    const fence = textOrNothing(await this.#connection.run(TAKE_OVER, keys, [held(from), holder, Math.ceil(ttlMs)]));
    return fence === undefined ? undefined : { key, holder, fence: Number(fence) };
  }

  async proveAlive(holder: string, ttlMs: number): Promise<void> {
    await this.#connection.send('SET', this.#keys.alive(requireName(holder, 'a holder')), 1, 'PX', Math.ceil(ttlMs));
  }

  async isAlive(holder: string): Promise<boolean> {
    return isName(holder) && numberOf(await this.#connection.send('EXISTS', this.#keys.alive(holder))) === 1;
  }

  #key(key: string): string {
    return `${this.#keys.base(key)}:l`;
  }
}

function held(lease: Lease): string {
  return `${lease.fence}|${lease.holder}`;
}
