import { seal, unseal } from '../../../../src/lib/vault.js';
import { type ForwardData, SYSTEM_EDGES } from '../../../../src/ports/index.js';
import { resealForwards } from '../../../../src/server/services/forward-settings.js';
import { LmdbStore } from '../../../../src/store/lmdb/lmdb-store.js';
import { handClock, memoryLog, temporaryFolder } from '../../../support/store-harness.js';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

test('keys of targets are sealed again with a new server key, once', async () => {
  const folder = temporaryFolder();
  const clock = handClock();
  const store = await LmdbStore.open({ dataDir: folder.path, log: memoryLog(), clock });
  const data = { rootId: '2', name: 'x', url: 'rtmp://a/b', sealedKey: seal(OLD, 'forward', 'the key') };
  await store.objects.commit([
    { op: 'put', object: { id: '1', kind: 'forward', createdMs: 1, updatedMs: 1, data } },
    { op: 'edgeAdd', ...SYSTEM_EDGES.forwards, member: '1', score: 1 },
  ]);
  const shared = { store, clock, serverKey: NEW, previousKey: { key: OLD, untilMs: 1 } };
  await resealForwards(shared);
  const resealed = await store.objects.get<ForwardData>('1');
  expect(unseal([NEW], 'forward', resealed?.data.sealedKey ?? '')).toBe('the key');
  await resealForwards(shared);
  expect((await store.objects.get('1'))?.version).toBe(resealed?.version);
  await store.close();
  folder.remove();
});
