import type { Store } from '../../src/ports/index.js';
import { RemoteStore } from '../../src/store/remote/remote-store.js';
import { memoryLog, temporaryFolderOfFile, until } from '../support/store-harness.js';
import { StoreProcess } from '../support/store-process.js';
import { storeContract } from './store.contract.js';

const folder = temporaryFolderOfFile();
let server: StoreProcess;
let store: Store;
const open = () => RemoteStore.open({ dataDir: folder.path, log: memoryLog() });

beforeAll(async () => {
  server = await StoreProcess.start(folder.path);
  store = await open();
});

afterAll(async () => {
  await store?.close();
  await server?.stop();
  folder.remove();
});

storeContract('embedded, in a process of its own,', {
  store: () => store,
  reopen: async () => {
    await store.close();
    store = await open();
    return store;
  },
  pass: (_byMs, ended) => until(ended),
});
