/** Sentinel behind a running broadcast that two servers share: another node takes over. `test/long` does so in a cluster. */

import { outlives, stopServers, twoServers } from '../support/failover.js';
import { inFull } from '../support/in-full.js';
import { RedisSentinel } from '../support/redis-cluster.js';

afterEach(stopServers);

inFull(
  'Sentinel makes another master in mid-broadcast: the broadcast goes on, and stays the first server’s',
  async () => {
    const sentinel = await RedisSentinel.start();
    await outlives(await twoServers(sentinel.url), () => sentinel.master.kill());
    await stopServers();
    await sentinel.stop();
  },
);
