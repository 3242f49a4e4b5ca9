/** Opens the store that the configuration asks for: Redis where there is a URL, else the embedded one. */
import type { Clock, Log, Store } from '../ports.js';
import { LmdbStore } from './lmdb/lmdb-store.js';
import { RedisStore } from './redis/redis-store.js';

export interface StoreOptions {
  /** The embedded store lives in `<dataDir>/store`. */
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

/** @throws StoreInUseError, StoreUnavailableError, RangeError for a URL that is none of ours */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.redisUrl) return RedisStore.open({ url: options.redisUrl, log: options.log, clock: options.clock });
  return LmdbStore.open(options);
}
