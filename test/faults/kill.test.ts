/** kill -9 of the server at random moments: no pushed record is lost or duplicated. `test/long` kills it more often. */

import { serversOfEachTest } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { expectKeptAcrossKills, faulty, pushedIds, VIOLATION } from '../support/kills.js';
import { Publisher } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';

const server = serversOfEachTest();

test('keeps every pushed record exactly once across a kill -9', async () => {
  await expectKeptAcrossKills(await server({ AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' }), 2);
});

inFull('replaces one killed ingest process: the others continue, and its encoders reconnect', async () => {
  const redis = await RedisServer.start();
  const airlock = await server({
    AIRLOCK_RECORD: 'off',
    AIRLOCK_WORKERS: '2',
    REDIS_URL: redis.url,
    AIRLOCK_LOG_LEVEL: 'warn',
  });
  const workers = () => airlock.pidsOf('ingest');
  const lives = await Promise.all(Array.from({ length: 4 }, () => airlock.createLive()));
  const publishers = await Promise.all(lives.map(({ key }) => Publisher.open(airlock, key)));
  const before = workers();
  expect(before).toHaveLength(2);
  await Promise.all(publishers.map((publisher) => publisher.send(faulty())));
  await Promise.all(publishers.map((publisher) => publisher.status(VIOLATION)));
  process.kill(before[0] ?? 0, 'SIGKILL');
  await airlock.until(
    async () => workers(),
    (now) => now.length === 2 && !now.includes(before[0] ?? 0),
  );
  const lost = publishers.filter((publisher) => publisher.closed);
  expect(lost.length).toBeLessThan(publishers.length);
  for (const [index, publisher] of publishers.entries()) {
    const { id, key } = lives[index] ?? { id: '', key: '' };
    const back = publisher.closed
      ? await airlock.until(
          () => Publisher.open(airlock, key),
          (opened) => opened.statuses[0]?.code === 'NetStream.Publish.Start',
        )
      : publisher;
    await back.stop();
    const rows = await airlock.until(
      () => airlock.errors(id),
      (found) => pushedIds(publisher).every((pushedId) => found.some((row) => row.id === pushedId)),
    );
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  }
  await redis.stop();
});
