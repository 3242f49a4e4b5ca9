/** On SIGTERM the server asks thirty encoders to reconnect: each continues its broadcast without a lost record. `test/long` does so with a hundred. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { expectAllReturn, open } from '../support/returning-publishers.js';
import { synthStream } from '../support/synth-stream.js';

inFull('thirty publishers return after a restart, with every record exactly once', () => expectAllReturn(30));

test('three ingest processes behind one port share their broadcasts through Redis, and are drained by SIGUSR2', async () => {
  const redis = await RedisServer.start();
  const airlock = await Airlock.start({
    REDIS_URL: redis.url,
    AIRLOCK_WORKERS: '3',
    AIRLOCK_RECORD: 'off',
    AIRLOCK_DRAIN_S: '1',
  });
  const lives = await Promise.all(Array.from({ length: 6 }, () => airlock.createLive()));
  const publishers = await Promise.all(lives.map(({ key }) => open(airlock, key)));
  expect(publishers.map((publisher) => publisher.statuses[0]!.code)).toEqual(
    lives.map(() => 'NetStream.Publish.Start'),
  );
  const sending = Promise.all(
    publishers.map((publisher) => publisher.send(paced(synthStream({ durationMs: 5000, channels: 1 })))),
  );
  for (const { id } of lives) {
    const rows = await airlock.until(
      () => airlock.errors(id),
      (found) => found.length > 0,
    );
    expect(rows[0]).toMatchObject({ error_code: 6304 });
    const health = await airlock.until(
      async () =>
        (await airlock.get(`/${id}`, { fields: 'ingest_streams{stream_health}' })).ingest_streams?.[0]?.stream_health,
      (found) => found?.video_width > 0,
    );
    expect(health.video_width).toBe(1280);
  }
  await airlock.post(`/${lives[0]!.id}`, { end_live_video: 'true' });
  await publishers[0]!.until(() => publishers[0]!.closed);
  await sending;

  const [supervisor = 0] = airlock.pids;
  process.kill(supervisor, 'SIGUSR2');
  for (const publisher of publishers.slice(1)) {
    await publisher.until(() => publisher.closed);
    expect(publisher.statuses.at(-1)?.description).toMatch(/out of service/);
  }
  // The interface goes on without the stream ports.
  const [error] = await once(connect(airlock.quickstart.rtmps_port, '127.0.0.1'), 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  expect((await airlock.get(`/${lives[1]!.id}`, { fields: 'status' })).status).toBe('LIVE');
  // A balancer sends streams to other servers, and requests still here.
  const { body } = await airlock.until(
    () => airlock.request('GET', '/readyz'),
    ({ status }) => status === 503,
  );
  expect(body).toMatchObject({ checks: { ingest: 'draining', web: 'ok' } });
  expect((await airlock.request('GET', '/readyz?role=web')).status).toBe(200);
  await airlock.stop();
  await redis.stop();
});
