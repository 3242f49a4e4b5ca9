/** Runs the store contract on one form of Redis, and gives the store for tests of that form. */
import type { Store } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
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
  return running;
}
