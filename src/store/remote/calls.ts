/** The calls of the store process: the writes of the port, and reads of state that only the writer holds in memory. */
import { join } from 'node:path';
import type { LeaseStore, ObjectStore, RecordStore, Store, VolatileStore } from '../../ports/index.js';

/** Protocol version; increment it when frames or calls change. Processes of different versions do not connect. */
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
  /** Liveness of the process, without a write. */
  alive: () => Promise<void>;
}

/** Arguments come from JSON; the store validates them as it does for every caller. */
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

/** Socket path of the store process. As long as the administration socket's, so that one limit on the folder's path fits both. */
export function storeSocketPath(dataDir: string): string {
  return join(dataDir, 'store.sock');
}
