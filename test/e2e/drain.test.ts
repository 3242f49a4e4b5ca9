/** SIGTERM: encoders are told to come back, nothing is lost, and they all return to the same broadcasts. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const PUBLISHERS = 100;

/** As encoders do, connects again when the connection is closed before the answer: a hundred handshakes at once are slow. */
const open = (airlock: Airlock, key: string): Promise<Publisher> =>
  airlock.until(
    () => Publisher.open(airlock, key),
    ({ statuses }) => statuses.length > 0,
  );
const stream = () =>
  synthStream({ durationMs: 1500, channels: 1, videoKbps: 600, width: 640, height: 360, levelIdc: 30 });

test('a hundred publishers return after a restart, with every record exactly once', async () => {
  const airlock = await Airlock.start({ AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' });
  const lives = [];
  for (let i = 0; i < PUBLISHERS; i++) lives.push(await airlock.createLive());
  const before = await Promise.all(lives.map(({ key }) => open(airlock, key)));
  await Promise.all(before.map((publisher) => publisher.send(stream())));
  await Promise.all(before.map((publisher) => publisher.status('NetStream.Publish.Violation')));

  expect(await airlock.kill('SIGTERM')).toBe(0);
  for (const publisher of before) {
    await publisher.until(() => publisher.closed);
    expect(publisher.statuses.at(-1)).toMatchObject({
      level: 'error',
      description: expect.stringMatching(/reconnect/i),
    });
  }

  await airlock.restart();
  const after = await Promise.all(lives.map(({ key }) => open(airlock, key)));
  expect(after.map((publisher) => publisher.statuses[0]!.code)).toEqual(lives.map(() => 'NetStream.Publish.Start'));
  await Promise.all(after.map((publisher) => publisher.send(stream())));
  for (const { id } of lives) {
    const rows = await airlock.errorsButPace(id);
    expect(rows.map((row) => [row.sequence, row.error_code])).toEqual([[1, 6304]]);
    expect((await airlock.get(`/${id}`, { fields: 'status' })).status).toBe('LIVE');
  }
  await Promise.all(after.map((publisher) => publisher.stop()));
  await airlock.stop();
});

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
