/** What may be asked of the store process: the writes of the port, and what only the writer keeps in memory. */
import { join } from 'node:path';
import type { LeaseStore, ObjectStore, RecordStore, Store, VolatileStore } from '../../ports/index.js';

/** Raised when frames or calls change: processes of two versions do not talk. */
export const PROTOCOL = 1;

export interface Calls {
  commit: ObjectStore['commit'];
  append: RecordStore['append'];
  deleteRecords: RecordStore['delete'];
  keepUntil: RecordStore['keepUntil'];
  acquire: LeaseStore['acquire'];
  renew: LeaseStore['renew'];
  reclaim: LeaseStore['reclaim'];
  release: LeaseStore['release'];
  holder: LeaseStore['holder'];
  setVolatile: VolatileStore['set'];
  getVolatile: VolatileStore['get'];
  ping: Store['ping'];
  subscribe: (topics: readonly string[]) => Promise<void>;
  unsubscribe: (topics: readonly string[]) => Promise<void>;
  /** Whether the process runs at all: no write, no disk. */
  alive: () => Promise<void>;
}

/** Any function is one of these; arguments come from JSON and are checked by the store, as those of every caller are. */
export type Served = { readonly [Name in keyof Calls]: (...args: never[]) => Promise<unknown> };

export function servedCalls(store: Store, topics: Set<string>): Served {
  const { objects, records, leases, volatile } = store;
  const served: Calls = {
    commit: (writes) => objects.commit(writes),
    append: (entries, options) => records.append(entries, options),
    deleteRecords: (broadcastId) => records.delete(broadcastId),
    keepUntil: (broadcastId, untilMs) => records.keepUntil(broadcastId, untilMs),
    acquire: (key, holder, ttlMs) => leases.acquire(key, holder, ttlMs),
    renew: (lease, ttlMs) => leases.renew(lease, ttlMs),
    reclaim: (lease, ttlMs) => leases.reclaim(lease, ttlMs),
    release: (lease) => leases.release(lease),
    holder: (key) => leases.holder(key),
    setVolatile: (key, value, ttlMs) => volatile.set(key, value, ttlMs),
    getVolatile: (key) => volatile.get(key),
    ping: () => store.ping(),
    subscribe: async (names) => {
      for (const name of names) topics.add(name);
    },
    unsubscribe: async (names) => {
      for (const name of names) topics.delete(name);
    },
    alive: async () => undefined,
  };
  return served;
}

/** Where the store process listens. As long as the administration's, so that one bound on the folder's path holds. */
export function storeSocketPath(dataDir: string): string {
  return join(dataDir, 'store.sock');
}
