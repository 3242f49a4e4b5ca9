import type { Store } from '../../src/ports.js';
import { openStore } from '../../src/store/open.js';
import { RedisServer } from '../support/redis-server.js';
import { memoryLog, realClock, until } from '../support/store-world.js';
import { storeContract } from './store.contract.js';

let server: RedisServer;
let store: Store;
const open = () => openStore({ dataDir: '/nonexistent', redisUrl: server.url, log: memoryLog(), clock: realClock });

beforeAll(async () => {
  server = await RedisServer.start();
  store = await open();
});

afterAll(async () => {
  await store?.close();
  await server?.stop();
});

storeContract('redis', {
  store: () => store,
  reopen: async () => {
    await store.close();
    store = await open();
    return store;
  },
  pass: (_byMs, ended) => until(ended),
});
