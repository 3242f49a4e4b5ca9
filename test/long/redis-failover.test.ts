/** A Redis Cluster behind a running broadcast that two servers share: a replica takes over. `test/e2e` does so with Sentinel. */
import { outlives, stopServers, twoServers } from '../support/failover.js';
import { RedisCluster } from '../support/redis-cluster.js';

afterEach(stopServers);

test('the cluster node of a running broadcast stands still for good: its replica takes over, the broadcast stays the first server’s', async () => {
  const cluster = await RedisCluster.start({ replicas: true });
  await outlives(await twoServers(cluster.url), async (id) => (await cluster.nodeOf(id)).freeze());
  await stopServers();
  await cluster.stop();
});
