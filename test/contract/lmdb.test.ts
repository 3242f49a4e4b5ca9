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
