/**
 * Leases in the one process that has the store open. Holders are kept in memory, by the monotonic clock: leases end with
 * the process. Fences are stored, so that they never decrease.
 */
import type { Clock, Lease, LeaseStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import { name } from './keys.js';
import type { Table, Tables } from './tables.js';

interface Held extends Lease {
  readonly untilMs: number;
}

export class LmdbLeases implements LeaseStore {
  readonly #tables: Tables;
  readonly #fences: Table<number>;
  readonly #held = new Map<string, Held>();
  /** Fences that are not in the table yet, by key. */
  readonly #unwritten = new Map<string, number>();
  /** Until when each holder counts as alive. */
  readonly #alive = new Map<string, number>();
  readonly #clock: Clock;

  constructor(tables: Tables, clock: Clock) {
    this.#tables = tables;
    this.#fences = tables.table<number>('fences');
    this.#clock = clock;
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    requireName(key, 'a lease');
    requireName(holder, 'a holder');
    const current = this.#holder(key);
    if (current !== undefined && current.holder !== holder) return undefined;
    return current === undefined ? this.#next(key, holder, ttlMs) : this.#hold(current, ttlMs);
  }

  async takeOver(from: Lease, holder: string, ttlMs: number): Promise<Lease | undefined> {
    requireName(holder, 'a holder');
    return this.#holds(from) ? this.#next(from.key, holder, ttlMs) : undefined;
  }

  async proveAlive(holder: string, ttlMs: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, untilMs] of this.#alive) if (untilMs <= nowMs) this.#alive.delete(other);
    this.#alive.set(requireName(holder, 'a holder'), nowMs + ttlMs);
  }

  async isAlive(holder: string): Promise<boolean> {
    return (this.#alive.get(holder) ?? 0) > this.#clock.monotonicMs();
  }

  /** A lease with the next fence. */
  async #next(key: string, holder: string, ttlMs: number): Promise<Lease> {
    // Registered before the fence is on the disk, so that no other holder can acquire it meanwhile.
    const lease = this.#hold({ key, holder, fence: this.#lastFence(key) + 1 }, ttlMs);
    const { fence } = lease;
    this.#unwritten.set(key, fence);
    try {
      await this.#tables.write(() => this.#fences.put(name(key), fence));
    } catch (error) {
      if (this.#holds(lease)) this.#held.delete(key);
      throw error;
    } finally {
      if (this.#unwritten.get(key) === fence) this.#unwritten.delete(key);
    }
    return lease;
  }

  /** 0: the key was never held. */
  #lastFence(key: string): number {
    return this.#unwritten.get(key) ?? this.#fences.get(name(key)) ?? 0;
  }

  async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    if (!this.#holds(lease)) return false;
    this.#hold(lease, ttlMs);
    return true;
  }

  async reclaim(lease: Lease, ttlMs: number): Promise<boolean> {
    if (this.#holds(lease)) return this.renew(lease, ttlMs);
    if (this.#holder(lease.key) !== undefined || this.#lastFence(lease.key) !== lease.fence) return false;
    this.#hold(lease, ttlMs);
    return true;
  }

  async release(lease: Lease): Promise<void> {
    if (this.#holds(lease)) this.#held.delete(lease.key);
  }

  async holder(key: string): Promise<Lease | undefined> {
    return this.#holder(key);
  }

  #holder(key: string): Lease | undefined {
    const held = isName(key) ? this.#held.get(key) : undefined;
    if (held === undefined) return undefined;
    if (held.untilMs <= this.#clock.monotonicMs()) {
      this.#held.delete(key);
      return undefined;
    }
    return { key, holder: held.holder, fence: held.fence };
  }

  #holds(lease: Lease): boolean {
    const current = this.#holder(lease.key);
    return current !== undefined && current.holder === lease.holder && current.fence === lease.fence;
  }

  #hold(lease: Lease, ttlMs: number): Lease {
    const { key, holder, fence } = lease;
    this.#held.set(key, { key, holder, fence, untilMs: this.#clock.monotonicMs() + ttlMs });
    return { key, holder, fence };
  }
}
