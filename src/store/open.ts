/** Opens the store that the configuration asks for: Redis where there is a URL, else the embedded one. */
import type { Clock, Log, Store } from '../ports/index.js';
import type { StoreDump, StoreLoader, StoreName } from './dump/rows.js';
import { withLmdb } from './lmdb/binary.js';

/** The store process may be replaced while another one starts. */
const SERVED_WITHIN_MS = 10_000;

/** The part of the configuration that selects the store. */
export interface StoreSettings {
  /** The embedded store lives in `<dataDir>/store`. */
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
}

export interface StoreOptions extends StoreSettings {
  readonly log: Log;
  readonly clock: Clock;
  /** The embedded store is served by another process of this machine. */
  readonly isServed?: boolean;
}

/** Picks the settings of the store from the configuration, so that no other setting reaches it. */
export function storeSettings({ dataDir, redisUrl }: StoreSettings): StoreSettings {
  return { dataDir, redisUrl };
}

/** The embedded store is written by one process of this machine, which has to run. */
export function isEmbedded({ redisUrl }: Pick<StoreOptions, 'redisUrl'>): boolean {
  return !redisUrl;
}

/** @throws StoreInUseError, StoreUnavailableError, RangeError for a URL that is none of ours */
export async function openStore(options: StoreOptions): Promise<Store> {
  // Loaded when needed: a client that is not used is ten megabytes.
  if (options.redisUrl) {
    const { RedisStore } = await import('./redis/redis-store.js');
    return RedisStore.open({ url: options.redisUrl, log: options.log, clock: options.clock });
  }
  if (options.isServed) {
    const { RemoteStore } = await withLmdb(() => import('./remote/remote-store.js'));
    return RemoteStore.open({ ...options, readyWithinMs: SERVED_WITHIN_MS });
  }
  const { LmdbStore } = await loadLmdbStore();
  return LmdbStore.open(options);
}

const loadLmdbStore = () => withLmdb(() => import('./lmdb/lmdb-store.js'));

/** @throws StoreUnavailableError when LMDB's binary is not installed */
export async function loadEmbeddedStore(): Promise<void> {
  await loadLmdbStore();
}

/** Serves the embedded store to the other processes of this machine. @throws StoreInUseError, StoreSocketError */
export async function serveEmbeddedStore(options: StoreOptions): Promise<{ close(): Promise<void> }> {
  const [{ LmdbStore }, { serveStore }, { storeSocketPath }] = await Promise.all([
    loadLmdbStore(),
    import('./remote/server.js'),
    import('./remote/calls.js'),
  ]);
  const store = await LmdbStore.open(options);
  const server = await serveStore({ store, path: storeSocketPath(options.dataDir), log: options.log }).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  return {
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** Reads all that a store holds, also while a server uses it. @throws BackupRefusedError when there is none */
export async function openDump(options: StoreOptions): Promise<StoreDump> {
  if (options.redisUrl) {
    const { RedisDump } = await import('./redis/dump.js');
    return RedisDump.open(options.redisUrl, options.log);
  }
  const { LmdbDump } = await withLmdb(() => import('./lmdb/dump.js'));
  return LmdbDump.open(options.dataDir);
}

/** The newest format of this store that this version reads. */
export async function newestFormat(store: StoreName): Promise<number> {
  if (store === 'redis') return (await import('./redis/format.js')).REDIS_FORMAT;
  return (await import('./lmdb/format.js')).LMDB_FORMAT;
}

/** @throws BackupRefusedError when a server uses the store, or when it holds something and `replace` is false */
export async function openLoader(options: StoreOptions & { readonly replace: boolean }): Promise<StoreLoader> {
  if (options.redisUrl) {
    const { RedisLoader } = await import('./redis/load.js');
    return RedisLoader.open({ ...options, url: options.redisUrl });
  }
  const { LmdbLoader } = await withLmdb(() => import('./lmdb/load.js'));
  return LmdbLoader.open(options);
}
