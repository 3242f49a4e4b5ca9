/** Opens the store and stays. Arguments: data folder. */
import { openStore } from '../../src/store/open.js';
import { memoryLog, realClock } from './store-harness.js';

const [dataDir = ''] = process.argv.slice(2);
const store = await openStore({ dataDir, log: memoryLog(), clock: realClock });
await store.objects.commit([
  { op: 'put', object: { id: 'child', kind: 'setting', createdMs: 1, updatedMs: 1, data: {} } },
]);
process.stdout.write('open\n');
process.once('SIGTERM', () => {
  store.close().then(() => process.exit(0));
});
setInterval(() => undefined, 60_000);
