/** Runs the store contract on one form of Redis, and gives the store for tests of that form. */
import type { Store } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { parseRedisUrl } from '../../src/store/redis/address.js';
import { RedisConnection } from '../../src/store/redis/connection.js';
import { ALL_SCRIPTS } from '../../src/store/redis/scripts/all.js';
import { memoryLog, realClock, until } from '../support/store-harness.js';
import { storeContract } from './store.contract.js';

interface Server {
  readonly url: string;
  stop(): Promise<unknown>;
}

/** Valid while the tests of the file run. */
export interface Running<S extends Server> {
  server: S;
  store: Store;
}

export function redisStoreContract<S extends Server>(name: string, start: () => Promise<S>): Running<S> {
  const running = {} as Running<S>;
  const open = () =>
    openStore({ dataDir: '/nonexistent', redisUrl: running.server.url, log: memoryLog(), clock: realClock });

  beforeAll(async () => {
    running.server = await start();
    running.store = await open();
  });

  afterAll(async () => {
    await running.store?.close();
    await running.server?.stop();
  });

  storeContract(name, {
    store: () => running.store,
    reopen: async () => {
      await running.store.close();
      running.store = await open();
      return running.store;
    },
    pass: (_byMs, ended) => until(ended),
  });

  // Otherwise a call whose script a server has overtakes one whose script it lacks.
  test(`${name} has each script on each server before the first command`, async () => {
    const connection = await RedisConnection.open(parseRedisUrl(running.server.url), memoryLog());
    const hashes = ALL_SCRIPTS.map(({ sha }) => sha);
    for (const send of connection.perNode('master'))
      expect(await send('SCRIPT', 'EXISTS', ...hashes)).toEqual(hashes.map(() => 1));
    connection.close();
  });
  return running;
}
