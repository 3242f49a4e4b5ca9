import type { Store } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { handClock, memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';
import { storeContract } from './store.contract.js';

const folder = temporaryFolderOfFile();
const clock = handClock();
const open = () => openStore({ dataDir: folder.path, log: memoryLog(), clock });
let store: Store;

beforeAll(async () => {
  store = await open();
});

afterAll(async () => {
  await store.close();
  folder.remove();
});

storeContract('embedded', {
  store: () => store,
  reopen: async () => {
    await store.close();
    store = await open();
    return store;
  },
  pass: async (byMs, ended) => {
    clock.advance(byMs);
    expect(await ended()).toBe(true);
  },
});

test('values of many owners beyond the limit of the store take the room of the largest groups, not of small ones', async () => {
  const bounds = { max: 10_000, ttlMs: 60_000 };
  await store.volatile.setIn('small', 'a', 1, bounds);
  await store.volatile.set('judge:small', 1, 60_000);
  for (let set = 0; set < 149_000; set++) {
    // The first owner alone sets 29,000, of which its group keeps 10,000.
    const owner = Math.max(0, Math.floor(set / 10_000) - 2);
    await store.volatile.setIn(`large-${owner}`, String(set), 1, bounds);
  }
  const [small, judge, newest, oldest] = await Promise.all([
    store.volatile.getIn('small', 'a'),
    store.volatile.get('judge:small'),
    store.volatile.getIn('large-12', '148999'),
    store.volatile.getIn('large-0', '0'),
  ]);
  expect([small, judge, newest, oldest]).toEqual([1, 1, 1, undefined]);
});
