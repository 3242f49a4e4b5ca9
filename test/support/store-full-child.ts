/** Fills the embedded store until it takes no more, then waits for room. Arguments: data folder. */
import { StoreUnavailableError } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { memoryLog, realClock } from './store-harness.js';

const say = (line: string) => process.stdout.write(`${line}\n`);
const [dataDir = ''] = process.argv.slice(2);
const store = await openStore({ dataDir, log: memoryLog(), clock: realClock });
const commit = (id: string) =>
  store.objects.commit([
    { op: 'put', object: { id, kind: 'video', createdMs: 1, updatedMs: 1, data: 'x'.repeat(4_000) } },
  ]);

let kept = 0;
try {
  for (; ; kept += 1) await commit(String(kept));
} catch (error) {
  if (!(error instanceof StoreUnavailableError)) throw error;
}
await commit('full').catch(() => say('refused again'));
say(
  `full after ${kept}, first ${(await store.objects.get('0'))?.version}, last ${(await store.objects.get(String(kept - 1)))?.version}`,
);
process.stdin.once('data', async () => {
  await commit('room');
  say(`room ${(await store.objects.get('room'))?.version}`);
  await store.close();
  process.exit(0);
});
