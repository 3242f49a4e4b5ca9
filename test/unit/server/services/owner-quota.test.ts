/** Limits of owners on both stores: places of publishers, objects and bytes. */

import { chargeWrites, type Lease, ownedVideos, type Store } from '../../../../src/ports/index.js';
import { StoreOwnerQuota } from '../../../../src/server/services/owner-quota.js';
import { openStore } from '../../../../src/store/open.js';
import { RedisServer } from '../../../support/redis-server.js';
import { memoryLog, realClock, temporaryFolder } from '../../../support/store-harness.js';

const LIMITS = { publishers: 2, objects: 3, bytes: 1_000 };

describe.each(['lmdb', 'redis'] as const)('on %s', (kind) => {
  let redis: RedisServer | undefined;
  let folder: ReturnType<typeof temporaryFolder>;
  let store: Store;
  let owners = 0;
  let owner: string;

  beforeAll(async () => {
    redis = kind === 'redis' ? await RedisServer.start() : undefined;
    folder = temporaryFolder();
    store = await openStore({ dataDir: folder.path, redisUrl: redis?.url, log: memoryLog(), clock: realClock });
  });
  afterAll(async () => {
    await store.close();
    await redis?.stop();
    folder.remove();
  });
  beforeEach(() => {
    owner = `7${++owners}`;
  });

  const quota = () => new StoreOwnerQuota(store, realClock, LIMITS);
  async function lease(name: string): Promise<Lease> {
    const taken = await store.leases.acquire(`publish:${owner}-${name}`, `holder of ${name}`, 10_000);
    if (taken === undefined) throw new Error('the key is held');
    return taken;
  }

  test('refuses a publisher beyond the limit until one leaves; another owner is not affected', async () => {
    const [one, two, three] = [await lease('1'), await lease('2'), await lease('3')];
    expect(await quota().acquireSlot(owner, one)).toBeUndefined();
    expect(await quota().acquireSlot(owner, two)).toBeUndefined();
    expect(await quota().acquireSlot(owner, three)).toEqual({ limit: 2 });
    expect(await quota().acquireSlot(`${owner}0`, three)).toBeUndefined();
    await quota().releaseSlot(owner, one);
    expect(await quota().acquireSlot(owner, three)).toBeUndefined();
    expect(await quota().use(owner)).toMatchObject({ publishers: 2 });
  });

  test('admits exactly as many concurrent publishers of several processes as there are slots', async () => {
    const processes = [quota(), quota()];
    const leases = await Promise.all(Array.from({ length: 10 }, (_, n) => lease(String(n))));
    const answers = await Promise.all(leases.map((held, n) => processes[n % 2]?.acquireSlot(owner, held)));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(LIMITS.publishers);
    expect(await quota().use(owner)).toMatchObject({ publishers: LIMITS.publishers });
  });

  test('releases the slots of a killed process, except for keys that another holder has taken', async () => {
    const [one, two] = [await lease('1'), await lease('2')];
    await quota().acquireSlot(owner, one);
    await quota().acquireSlot(owner, two);
    await store.leases.release(two);
    const three = await lease('3');
    expect(await quota().acquireSlot(owner, three)).toBeUndefined();
    await store.leases.release(one);
    const again = await store.leases.acquire(one.key, 'another holder', 10_000);
    expect(again).toBeDefined();
    await quota().releaseSlot(owner, one);
    expect(await quota().use(owner)).toMatchObject({ publishers: 2 });
  });

  test('admits the next holder of a key whose slot a killed process left, also at the limit', async () => {
    const [one, two] = [await lease('1'), await lease('2')];
    await quota().acquireSlot(owner, one);
    await quota().acquireSlot(owner, two);
    await store.leases.release(one);
    expect(await quota().acquireSlot(owner, await lease('1'))).toBeUndefined();
    expect(await quota().use(owner)).toMatchObject({ publishers: 2 });
  });

  test('refuses objects and bytes beyond the limits of the server or of the owner itself', async () => {
    await store.objects.commit([
      { op: 'edgeAdd', ...ownedVideos(owner), member: '1', score: 1 },
      { op: 'edgeAdd', ...ownedVideos(owner), member: '2', score: 2 },
      ...chargeWrites(owner, 600),
    ]);
    await quota().requireObject(owner);
    await quota().requireBytes(owner, 400);
    await expect(quota().requireBytes(owner, 401)).rejects.toThrow('(#341)');
    await store.objects.commit([{ op: 'edgeAdd', owner, edge: 'live_videos', member: '3', score: 3 }]);
    await expect(quota().requireObject(owner)).rejects.toThrow('(#341) This owner has 3 live videos and videos');
    const at = { createdMs: 1, updatedMs: 1 };
    const data = { name: 'Big', maxObjects: 0, maxBytes: 5_000 };
    await store.objects.commit([{ op: 'put', object: { id: owner, kind: 'page', ...at, data } }]);
    await quota().requireObject(owner);
    await quota().requireBytes(owner, 4_400);
    expect(await quota().use(owner)).toEqual({ publishers: 0, objects: 3, bytes: 600 });
  });
});
