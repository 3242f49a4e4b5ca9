/** A real failover: the master dies, and the promoted replica lacks its last acknowledged writes. */

import type { Store } from '../../src/ports/index.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import { openStore } from '../../src/store/open.js';
import { inFull } from '../support/in-full.js';
import { RedisSentinel } from '../support/redis-cluster.js';
import { memoryLog, raised, realClock, temporaryFolder, until } from '../support/store-harness.js';
import { failoverContract } from './faults.contract.js';
import { freshId } from './store.contract.js';

inFull('restores acknowledged records that a failover lost from the journal, with increasing fences', async () => {
  const sentinel = await RedisSentinel.start();
  const folder = temporaryFolder();
  const log = memoryLog();
  const store = await openStore({ dataDir: folder.path, redisUrl: sentinel.url, log, clock: realClock });
  const journal = await ErrorJournal.open({
    dataDir: folder.path,
    store,
    log,
    clock: realClock,
  });
  try {
    const id = freshId();
    for (let number = 1; number <= 10; number += 1) void journal.append([raised(id, 1, number)]);
    await journal.flush(20_000);
    const replica = sentinel.replica.client();
    await until(async () => (await replica.hget(`airlock:{${id}}:r:h`, 'total')) === '10');
    replica.disconnect();

    await cutOff(sentinel);
    for (let number = 11; number <= 20; number += 1) void journal.append([raised(id, 1, number)]);
    expect(await journal.flush(20_000)).toBe(0);
    const lease = await store.leases.acquire(`live:${id}`, 'one', 60_000);
    expect(lease).toBeDefined();
    const returned = new Promise<void>((resolve) => {
      store.onAvailability((available) => {
        if (available) resolve();
      });
    });
    await sentinel.master.kill();
    sentinel.replica.thaw();
    await returned;

    // No new records: the lost ones must be restored without a trigger.
    await until(async () => (await store.records.counts(id).catch(() => undefined))?.total === 20);
    // The connection may change again while Sentinel settles: retry while it is unavailable.
    const asked = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
      let answer: { readonly value: Answer } | undefined;
      await until(async () => {
        answer = await question().then(
          (value) => ({ value }),
          () => undefined,
        );
        return answer !== undefined;
      });
      return answer!.value;
    };
    const { records } = await asked(() => store.records.page(id, { limit: 50 }));
    expect(records.map((record) => record.id).reverse()).toEqual(
      Array.from({ length: 20 }, (_, n) => `${id}_1_${n + 1}`),
    );
    expect(await asked(() => store.leases.holder(`live:${id}`))).toBeUndefined();
    const next = await asked(() => store.leases.acquire(`live:${id}`, 'two', 60_000));
    expect(next!.fence).toBeGreaterThan(lease!.fence);
  } finally {
    await journal.close();
    await store.close();
    await sentinel.stop();
    folder.remove();
  }
});

/** Data in flight would still reach a suspended replica, so its connection is closed too. */
async function cutOff({ master, replica }: RedisSentinel): Promise<void> {
  replica.freeze();
  const client = master.client();
  await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  client.disconnect();
}

describe('a real failover', () => {
  let sentinel: RedisSentinel;
  let folder: ReturnType<typeof temporaryFolder>;
  let store: Store;
  beforeAll(async () => {
    sentinel = await RedisSentinel.start();
    folder = temporaryFolder();
    store = await openStore({
      ...{ dataDir: folder.path, redisUrl: sentinel.url },
      ...{ log: memoryLog(), clock: realClock },
    });
  });
  afterAll(async () => {
    await store.close();
    await sentinel.stop();
    folder.remove();
  });

  failoverContract('Redis', {
    store: async () => store,
    cutOff: async (id) => {
      const client = sentinel.replica.client();
      await until(async () => (await client.hget(`airlock:{${id}}:r:h`, 'total')) === '1');
      client.disconnect();
      await cutOff(sentinel);
    },
    failOver: async () => {
      await sentinel.master.kill();
      sentinel.replica.thaw();
    },
  });
});
