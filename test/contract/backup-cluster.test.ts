/** Backup of a Redis Cluster, from all masters, and restore into a cluster. */
import { join } from 'node:path';
import { openStore } from '../../src/store/open.js';
import { runCli } from '../support/cli.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { memoryLog, raised, realClock, temporaryFolder } from '../support/store-harness.js';

const IDS = Array.from({ length: 40 }, (_, index) => `object${index}`);

test('backs up a cluster and restores it under another prefix', async () => {
  const folder = temporaryFolder();
  const cluster = await RedisCluster.start();
  try {
    const redisUrl = (prefix: string) => `${cluster.url}?prefix=${prefix}`;
    const open = (prefix: string) =>
      openStore({ dataDir: folder.path, redisUrl: redisUrl(prefix), log: memoryLog(), clock: realClock });
    const cli = (prefix: string, ...args: string[]) =>
      runCli(args, { env: { REDIS_URL: redisUrl(prefix), AIRLOCK_DATA_DIR: folder.path }, cwd: folder.path });
    const file = join(folder.path, 'cluster.backup');

    const store = await open('one');
    for (const id of IDS) {
      await store.objects.commit([
        { op: 'put', object: { id, kind: 'video', createdMs: 1, updatedMs: 1, data: { id } } },
        { op: 'edgeAdd', owner: id, edge: 'comments', member: 'm', score: 3 },
      ]);
    }
    await store.records.append(IDS.map((id) => raised(id, 1, 1)));
    await store.close();

    expect(await cli('one', 'backup', file)).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('one', 'restore', file)).toMatchObject({ code: 2 });
    expect(await cli('two', 'restore', file)).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('two', 'restore', file, '--force')).toMatchObject({ code: 0, stderr: '' });

    const restored = await open('two');
    const found = await restored.objects.getMany(IDS);
    expect(found.map((object) => object?.data)).toEqual(IDS.map((id) => ({ id })));
    for (const id of IDS) {
      expect(await restored.objects.edgeSize({ owner: id, edge: 'comments' })).toBe(1);
      expect(await restored.records.counts(id)).toMatchObject({ total: 1, open: 1, lastRevision: 1 });
    }
    await restored.close();
  } finally {
    await cluster.stop();
    folder.remove();
  }
});
