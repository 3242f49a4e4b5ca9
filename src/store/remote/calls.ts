/** The calls of the store process: the writes of the port, and reads of state that only the writer holds in memory. */
import { join } from 'node:path';
import type { Lease, LeaseStore, ObjectStore, RecordStore, Store, VolatileStore } from '../../ports/index.js';
import type { LmdbStore } from '../lmdb/lmdb-store.js';
import type { BoundedGroup } from '../lmdb/volatile-values.js';

/** Protocol version; increment it when frames or calls change. Processes of different versions do not connect. */
export const PROTOCOL = 4;

/** Key, JSON text and time to live in ms of a short-lived value, and its group: the store process keeps the text. */
export type VolatileText = readonly [key: string, text: string, ttlMs: number, group?: BoundedGroup];

export interface Calls {
  commit: ObjectStore['commit'];
  append: RecordStore['append'];
  deleteRecords: RecordStore['delete'];
  keepUntil: RecordStore['keepUntil'];
  acquire: LeaseStore['acquire'];
  /** Renews several leases. */
  renew: (leases: readonly Lease[], ttlMs: number) => Promise<boolean[]>;
  reclaim: LeaseStore['reclaim'];
  release: LeaseStore['release'];
  holder: LeaseStore['holder'];
  takeOver: LeaseStore['takeOver'];
  proveAlive: LeaseStore['proveAlive'];
  isAlive: LeaseStore['isAlive'];
  setVolatile: (values: readonly VolatileText[]) => Promise<void>;
  getVolatile: VolatileStore['get'];
  getVolatileIn: VolatileStore['getIn'];
  ping: Store['ping'];
  subscribe: (topics: readonly string[]) => Promise<void>;
  unsubscribe: (topics: readonly string[]) => Promise<void>;
  /** Liveness of the process, without a write. */
  alive: () => Promise<void>;
}

/** Arguments come from JSON; the store validates them as it does for every caller. */
export type Served = { readonly [Name in keyof Calls]: (...args: never[]) => Promise<unknown> };

/** `held`: the leases that the process acquired and has not released, by key. */
export function servedCalls(store: LmdbStore, topics: Set<string>, held: Map<string, Lease>): Served {
  const { objects, records, leases }: Store = store;
  const { volatile } = store;
  const served: Calls = {
    commit: (writes) => objects.commit(writes),
    append: (entries, options) => records.append(entries, options),
    deleteRecords: (broadcastId) => records.delete(broadcastId),
    keepUntil: (broadcastId, untilMs) => records.keepUntil(broadcastId, untilMs),
    acquire: async (key, holder, ttlMs) => {
      const lease = await leases.acquire(key, holder, ttlMs);
      if (lease !== undefined) held.set(key, lease);
      return lease;
    },
    renew: (renewed, ttlMs) => Promise.all(renewed.map((lease) => leases.renew(lease, ttlMs))),
    reclaim: async (lease, ttlMs) => {
      const isHeld = await leases.reclaim(lease, ttlMs);
      if (isHeld) held.set(lease.key, lease);
      return isHeld;
    },
    release: (lease) => {
      held.delete(lease.key);
      return leases.release(lease);
    },
    holder: (key) => leases.holder(key),
    takeOver: async (from, holder, ttlMs) => {
      const lease = await leases.takeOver(from, holder, ttlMs);
      if (lease !== undefined) held.set(from.key, lease);
      return lease;
    },
    proveAlive: (holder, ttlMs) => leases.proveAlive(holder, ttlMs),
    isAlive: (holder) => leases.isAlive(holder),
    setVolatile: async (values) => {
      for (const value of values) volatile.setText(...value);
    },
    getVolatile: (key) => volatile.get(key),
    getVolatileIn: (group, key) => volatile.getIn(group, key),
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
