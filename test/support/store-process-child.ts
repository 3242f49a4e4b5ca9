/** Serves the embedded store until SIGTERM, and prints what it logs. Arguments: data folder. */
import { LmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { storeSocketPath } from '../../src/store/remote/calls.js';
import { serveStore } from '../../src/store/remote/server.js';
import { memoryLog, realClock } from './store-harness.js';

const [dataDir = ''] = process.argv.slice(2);
const say = (_fields: object, message: string) => {
  process.stdout.write(`${message}\n`);
};
const log = { ...memoryLog(), warn: say, error: say };
const store = await LmdbStore.open({ dataDir, log, clock: realClock });
const server = await serveStore({ store, path: storeSocketPath(dataDir), log });
process.once('SIGTERM', () => {
  server
    .close()
    .then(() => store.close())
    .then(() => process.exit(0));
});
say({}, 'serving');
