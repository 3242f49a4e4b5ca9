/** The store contract on a real cluster of three, and commits over several nodes. */
import { ConflictError, StoreUnavailableError } from '../../src/ports/index.js';
import { parseRedisUrl } from '../../src/store/redis/address.js';
import { RedisConnection } from '../../src/store/redis/connection.js';
import { Intents } from '../../src/store/redis/intents.js';
import { RedisKeys } from '../../src/store/redis/keys.js';
import { RedisObjects } from '../../src/store/redis/objects.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { handClock, memoryLog, until } from '../support/store-harness.js';
import { put } from './objects.contract.js';
import { redisStoreContract } from './redis-store.js';
import { freshId } from './store.contract.js';

const running = redisStoreContract('redis cluster', () => RedisCluster.start({ nodeTimeoutMs: 15_000 }));

test('concurrent commits of the same objects over several nodes are atomic', async () => {
  const ids = Array.from({ length: 6 }, freshId);
  expect(
    new Set(await Promise.all(ids.map(async (id) => (await running.server.nodeOf(id)).port))).size,
  ).toBeGreaterThan(1);
  await running.store.objects.commit(ids.map((id) => put(id, { by: 0 }, 0)));
  let won = 0;
  const attempt = async (by: number): Promise<void> => {
    const chosen = [ids[by % 6]!, ids[(by + 1) % 6]!, ids[(by * 3 + 2) % 6]!].filter(
      (id, n, all) => all.indexOf(id) === n,
    );
    const before = await running.store.objects.getMany(chosen);
    try {
      await running.store.objects.commit([
        ...chosen.map((id, n) => put(id, { by }, before[n]!.version)),
        ...chosen.map((id) => ({ op: 'count' as const, owner: id, counter: 'won', by: 1 })),
      ]);
      won += 1;
    } catch (error) {
      if (!(error instanceof ConflictError) && !(error instanceof StoreUnavailableError)) throw error;
      if (error instanceof StoreUnavailableError) throw error;
    }
  };
  for (let round = 0; round < 5; round += 1)
    await Promise.all(Array.from({ length: 6 }, (_, n) => attempt(round * 6 + n)));
  expect(won).toBeGreaterThan(5);
  for (const id of ids) {
    const [count] = await running.store.objects.counters(id, ['won']);
    expect(await running.store.objects.get(id)).toMatchObject({ version: 1 + count! });
  }
});

test('completes the partial commit of a process that failed', async () => {
  const ids = Array.from({ length: 12 }, freshId);
  const nodes = await Promise.all(ids.map((id) => running.server.nodeOf(id)));
  const intentsNode = await running.server.nodeOf('intents');
  const far = ids[nodes.findIndex((node) => node !== intentsNode)]!;
  const near = ids[nodes.indexOf(intentsNode)]!;
  const log = memoryLog();
  const clock = handClock();
  const keys = new RedisKeys('airlock');
  const connection = await RedisConnection.open(parseRedisUrl(running.server.url), log);
  const intents = new Intents(connection, keys, log, clock);
  const objects = new RedisObjects(connection, keys, intents);

  // The connections to both nodes are open before one of them freezes.
  await objects.getMany([near, far]);
  await intents.finish(30_000, async () => undefined);
  // Nothing to lock: the decision and the first object are written, then the node of the other object hangs.
  const node = await running.server.nodeOf(far);
  node.freeze();
  const commit = objects.commit([
    put(near, 'a'),
    put(far, 'b'),
    { op: 'edgeAdd', owner: near, edge: 'e', member: far, score: 1 },
  ]);
  await expect(commit).rejects.toBeInstanceOf(StoreUnavailableError);
  node.thaw();
  await until(async () => (await objects.get(far).catch(() => 'away')) !== 'away');

  const replay: Parameters<Intents['finish']>[1] = (txid, groups) => objects.replay(txid, groups);
  // The other nodes may still count the thawed one as failed: the cluster is down for them until they hear from it.
  const isUp = (error: unknown) => !(error instanceof StoreUnavailableError);
  await until(() =>
    intents.finish(30_000, replay).then(
      () => true,
      (error) => isUp(error) && Promise.reject(error),
    ),
  );
  expect(log.lines.filter((line) => line.message.startsWith('completed the partial commit'))).toHaveLength(0);
  clock.advance(31_000);
  await intents.finish(30_000, replay);
  await intents.finish(30_000, replay);
  expect(log.lines.filter((line) => line.message.startsWith('completed the partial commit'))).toHaveLength(1);
  expect(await running.store.objects.getMany([near, far])).toMatchObject([
    { version: 1, data: 'a' },
    { version: 1, data: 'b' },
  ]);
  expect(await running.store.objects.edgeSize({ owner: near, edge: 'e' })).toBe(1);
  connection.close();
});
