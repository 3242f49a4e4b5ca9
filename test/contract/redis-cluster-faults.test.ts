/** A real cluster with a node that hangs permanently. */

import { type Store, StoreUnavailableError } from '../../src/ports/index.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import { openStore } from '../../src/store/open.js';
import { inFull } from '../support/in-full.js';
import { RedisCluster } from '../support/redis-cluster.js';
import type { RedisServer } from '../support/redis-server.js';
import { memoryLog, raised, realClock, temporaryFolder, until } from '../support/store-harness.js';
import { put } from './objects.contract.js';
import { freshId } from './store.contract.js';

let cluster: RedisCluster;
let folder: ReturnType<typeof temporaryFolder>;
const open: Store[] = [];

const connect = async (redisUrl = cluster.url): Promise<Store> => {
  const store = await openStore({ dataDir: folder.path, redisUrl, log: memoryLog(), clock: realClock });
  open.push(store);
  return store;
};

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
  await cluster.stop();
  folder.remove();
});

/** The replica that holds the subscriptions, if it is a replica. */
async function replicaOfSubscriptions(): Promise<RedisServer | undefined> {
  for (const node of cluster.replicas) {
    const client = node.client();
    const list = String(await client.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
    client.disconnect();
    if (list.trim() !== '') return node;
  }
  return undefined;
}

inFull('moves old and new subscriptions to another node when their node hangs', async () => {
  // The cluster itself would mark the node as failed only after the test. It is a replica, so it gets no commands.
  cluster = await RedisCluster.start({ replicas: true, nodeTimeoutMs: 60_000 });
  const here = await connect();
  const heard = { before: 0, meanwhile: 0 };
  const hears = (topic: keyof typeof heard) => {
    const already = heard[topic];
    return until(() => {
      here.bus.publish(topic, 1);
      return heard[topic] > already;
    });
  };
  let there = here;
  let replica: RedisServer | undefined;
  while (replica === undefined) {
    if (there !== here) await there.close();
    there = await connect(cluster.urlOf(cluster.replicas));
    there.bus.subscribe('before', () => {
      heard.before += 1;
    });
    await hears('before');
    replica = await replicaOfSubscriptions();
  }
  replica.freeze();
  there.bus.subscribe('meanwhile', () => {
    heard.meanwhile += 1;
  });
  await hears('before');
  await hears('meanwhile');
});

test('fails calls in bounded time when the node of a broadcast hangs, and continues on its replica without loss', async () => {
  cluster = await RedisCluster.start({ replicas: true });
  const store = await connect();
  const journal = await ErrorJournal.open({
    dataDir: folder.path,
    store,
    log: memoryLog(),
    clock: realClock,
  });
  const id = freshId();
  const lease = await store.leases.acquire(id, 'one', 60_000);
  for (let number = 1; number <= 5; number += 1) void journal.append([raised(id, 1, number)]);
  expect(await journal.flush(20_000)).toBe(0);

  (await cluster.nodeOf(id)).freeze();
  for (let number = 6; number <= 10; number += 1) void journal.append([raised(id, 1, number)]);
  const calls = [
    () => store.objects.get(id),
    () => store.records.page(id, { limit: 5 }),
    () => store.leases.renew(lease!, 60_000),
    () => store.objects.commit([put(id, 1)]),
  ].map((call) => call());
  for (const call of calls) await expect(call).rejects.toBeInstanceOf(StoreUnavailableError);

  expect(await journal.flush(20_000)).toBe(0);
  const { records } = await store.records.page(id, { limit: 50 });
  expect(records.map((record) => [record.id, record.sequence]).reverse()).toEqual(
    Array.from({ length: 10 }, (_, n) => [`${id}_1_${n + 1}`, n + 1]),
  );
  await store.objects.commit([put(freshId(), 1)]);
  await store.leases.release(lease!);
  expect((await store.leases.acquire(id, 'two', 60_000))!.fence).toBeGreaterThan(lease!.fence);
  await journal.close();
});
