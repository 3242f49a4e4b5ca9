/** An example of a store: everything in memory, in one process. `MemoryData` outlives a store that is closed. */
import type { Clock, Lease, LeaseStore, Log, Store, VolatileStore } from '../../../src/ports/index.js';
import { LocalBus } from '../../../src/store/shared/local-bus.js';
import { requireName } from '../../../src/store/shared/names.js';
import { MemoryObjects, noObjects, type ObjectData } from './memory-objects.js';
import { MemoryRecords, type RecordData } from './memory-records.js';

interface Held extends Lease {
  readonly untilMs: number;
}

export interface MemoryData {
  readonly objects: ObjectData;
  readonly records: RecordData;
  readonly fences: Map<string, number>;
  readonly values: Map<string, { readonly value: unknown; readonly untilMs: number }>;
}

export const noData = (): MemoryData => ({
  objects: noObjects(),
  records: new Map(),
  fences: new Map(),
  values: new Map(),
});

export class MemoryStore implements Store {
  readonly name = 'memory';
  readonly isShared = false;
  readonly spansMachines = false;
  readonly objects: MemoryObjects;
  readonly records: MemoryRecords;
  readonly leases: LeaseStore;
  readonly volatile: VolatileStore;
  readonly bus: LocalBus;

  constructor(data: MemoryData, clock: Clock, log: Log) {
    this.objects = new MemoryObjects(data.objects);
    this.records = new MemoryRecords(data.records);
    this.leases = new MemoryLeases(data.fences, clock);
    const set = (name: string, value: unknown, ttlMs: number): void => {
      data.values.delete(name);
      data.values.set(requireName(name, 'a key'), { value, untilMs: clock.wallMs() + ttlMs });
    };
    const get = (name: string): unknown => {
      const found = data.values.get(name);
      return found !== undefined && found.untilMs > clock.wallMs() ? found.value : undefined;
    };
    this.volatile = {
      set: async (key, value, ttlMs) => set(key, value, ttlMs),
      get: async (key) => get(key),
      setIn: async (group, key, value, { max, ttlMs }) => {
        set(`${requireName(group, 'a group')}/${requireName(key, 'a key')}`, value, ttlMs);
        const members = [...data.values.keys()].filter((name) => name.startsWith(`${group}/`));
        for (const oldest of members.slice(0, Math.max(0, members.length - max))) data.values.delete(oldest);
      },
      getIn: async (group, key) => get(`${group}/${key}`),
    };
    this.bus = new LocalBus(log);
  }

  async ping(): Promise<void> {
    // Memory is always there.
  }

  onAvailability(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.bus.close();
  }
}

class MemoryLeases implements LeaseStore {
  readonly #fences: Map<string, number>;
  readonly #held = new Map<string, Held>();
  readonly #alive = new Map<string, number>();
  readonly #clock: Clock;

  constructor(fences: Map<string, number>, clock: Clock) {
    this.#fences = fences;
    this.#clock = clock;
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const current = this.#current(requireName(key, 'a lease'));
    if (current !== undefined && current.holder !== holder) return undefined;
    const fence = current?.fence ?? (this.#fences.get(key) ?? 0) + 1;
    this.#fences.set(key, fence);
    return this.#hold({ key, holder, fence }, ttlMs);
  }

  async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#holds(lease) && this.#hold(lease, ttlMs) !== undefined;
  }

  async reclaim(lease: Lease, ttlMs: number): Promise<boolean> {
    const isFree = this.#current(lease.key) === undefined && this.#fences.get(lease.key) === lease.fence;
    return (isFree || this.#holds(lease)) && this.#hold(lease, ttlMs) !== undefined;
  }

  async release(lease: Lease): Promise<void> {
    if (this.#holds(lease)) this.#held.delete(lease.key);
  }

  async holder(key: string): Promise<Lease | undefined> {
    return this.#current(key);
  }

  async takeOver(from: Lease, holder: string, ttlMs: number): Promise<Lease | undefined> {
    if (!this.#holds(from)) return undefined;
    this.#fences.set(from.key, from.fence + 1);
    return this.#hold({ key: from.key, holder, fence: from.fence + 1 }, ttlMs);
  }

  async proveAlive(holder: string, ttlMs: number): Promise<void> {
    this.#alive.set(holder, this.#clock.monotonicMs() + ttlMs);
  }

  async isAlive(holder: string): Promise<boolean> {
    return (this.#alive.get(holder) ?? 0) > this.#clock.monotonicMs();
  }

  #current(key: string): Lease | undefined {
    const held = this.#held.get(key);
    if (held === undefined || held.untilMs <= this.#clock.monotonicMs()) return undefined;
    return { key, holder: held.holder, fence: held.fence };
  }

  #holds(lease: Lease): boolean {
    const current = this.#current(lease.key);
    return current?.holder === lease.holder && current.fence === lease.fence;
  }

  #hold({ key, holder, fence }: Lease, ttlMs: number): Lease {
    this.#held.set(key, { key, holder, fence, untilMs: this.#clock.monotonicMs() + ttlMs });
    return { key, holder, fence };
  }
}
