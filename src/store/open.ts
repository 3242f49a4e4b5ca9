/** Opens the store that the configuration asks for: Redis where there is a URL, else the embedded one. */
import type { Clock, Log, Store } from '../ports.js';

export interface StoreOptions {
  /** The embedded store lives in `<dataDir>/store`. */
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

/** @throws StoreInUseError, StoreUnavailableError, RangeError for a URL that is none of ours */
export async function openStore(options: StoreOptions): Promise<Store> {
  // Loaded when needed: a client that is not used is ten megabytes.
  if (options.redisUrl) {
    const { RedisStore } = await import('./redis/redis-store.js');
    return RedisStore.open({ url: options.redisUrl, log: options.log, clock: options.clock });
  }
  const { LmdbStore } = await import('./lmdb/lmdb-store.js');
  return LmdbStore.open(options);
}
