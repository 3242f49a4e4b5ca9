/**
 * Reads the embedded store in a transaction that stays open and subscribes to a topic, and does nothing else.
 * Arguments: data folder, topic, id of an object.
 */
import { join } from 'node:path';
import type { StoredObject } from '../../src/ports/index.js';
import { name } from '../../src/store/lmdb/keys.js';
import { openTablesToRead } from '../../src/store/lmdb/tables.js';
import { RemoteStore } from '../../src/store/remote/remote-store.js';
import { memoryLog } from './store-harness.js';

const [dataDir = '', topic = '', id = ''] = process.argv.slice(2);
const store = await RemoteStore.open({ dataDir, log: memoryLog() });
const tables = openTablesToRead(join(dataDir, 'store'));
const objects = tables.table<StoredObject>('objects');
const transaction = tables.root.useReadTransaction();
store.onAvailability((available) => process.stdout.write(available ? 'there\n' : 'away\n'));
store.bus.subscribe(topic, (message) => {
  if (message === 'hello') process.stdout.write('heard\n');
});
await store.volatile.get('subscribed');
process.stdout.write(`open ${objects.get(name(id), { transaction })?.version}\n`);
