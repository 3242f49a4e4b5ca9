/** The recipe for a store (CONTRIBUTING.md): a minimal one in memory satisfies the contract that LMDB and Redis satisfy. */
import { storeContract } from '../contract/store.contract.js';
import { handClock, memoryLog } from '../support/store-harness.js';
import { MemoryStore, noData } from './store/memory-store.js';

const clock = handClock();
const data = noData();
let store = new MemoryStore(data, clock, memoryLog());

afterAll(() => store.close());

storeContract('memory', {
  store: () => store,
  reopen: async () => {
    await store.close();
    store = new MemoryStore(data, clock, memoryLog());
    return store;
  },
  pass: async (byMs, ended) => {
    clock.advance(byMs);
    expect(await ended()).toBe(true);
  },
});
