/** Redis behind real broadcasts: away in mid-broadcast, and shared by two servers of which one is killed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { standStill } from '../support/role-faults.js';
import { synthStream } from '../support/synth-stream.js';

let redis: RedisServer;
const servers: Airlock[] = [];

async function server(env: NodeJS.ProcessEnv = {}): Promise<Airlock> {
  const airlock = await Airlock.start({ REDIS_URL: redis.url, AIRLOCK_RECORD: 'off', ...env });
  servers.push(airlock);
  return airlock;
}

beforeEach(async () => {
  redis = await RedisServer.start({ durable: true });
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((airlock) => airlock.stop()));
  await redis.stop();
});

test('Redis away in mid-broadcast costs no record and no packet; new publishers are refused with a reason', async () => {
  const airlock = await server();
  const live = await airlock.createLive();
  const other = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 16_000, keyFrameIntervalMs: 6000 })));
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  await redis.kill();
  // Beside load, a process stands still for as long; it cannot ask then whether it still has its lease.
  await standStill(airlock.pidOf('ingest'), 1000);

  const pushed = await publisher.status('NetStream.Publish.Violation');
  expect(pushed.fields).toMatchObject({ error_code: 6208 });
  const refused = await Publisher.open(airlock, other.key);
  expect(refused.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Rejected' });
  expect(refused.statuses[0]!.description).toMatch(/try again/i);
  expect(await airlock.request('GET', `/${live.id}`)).toMatchObject({
    status: 503,
    body: { error: { is_transient: true } },
  });

  await redis.restart();
  await sending;
  expect(publisher.closed).toBe(false);
  const health = (await airlock.get(`/${live.id}`, { fields: 'ingest_streams{stream_health}' })).ingest_streams[0]
    .stream_health;
  expect(health.video_framerate).toBeGreaterThan(29);
  await publisher.stop();
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.length > 0,
  );
  expect(rows.map((row) => row.error_code)).toEqual([6208]);
  expect(rows[0]).toMatchObject({ id: pushed.fields.id, sequence: 1 });
});

inFull(
  'an encoder returns to another server after a stop, and after a kill while Redis is away, as the same broadcast with all errors',
  async () => {
    const secret = { AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT' };
    const first = await server(secret);
    const folder = mkdtempSync(join(tmpdir(), 'airlock-second-'));
    const second = await Airlock.start(
      { REDIS_URL: redis.url, AIRLOCK_RECORD: 'off', AIRLOCK_QUICKSTART: 'on', ...secret },
      folder,
    );
    servers.push(second);
    const live = await first.createLive();
    const encoder = await Publisher.open(first, live.key);
    const sending = encoder.send(paced(synthStream({ durationMs: 60_000, channels: 1 }))).catch(() => undefined);
    await encoder.status('NetStream.Publish.Violation');

    const busy = await Publisher.open(second, live.key);
    expect(busy.statuses[0]).toMatchObject({ code: 'NetStream.Publish.BadName' });

    // Each first try is held until the other process counts as dead, not refused until its lease ends.
    const stopped = first.pids;
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    const again = await Publisher.open(second, live.key);
    expect(again.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    await encoder.until(() => encoder.closed);
    expect(encoder.statuses.at(-1)?.description).toMatch(/took over/);
    await sending;
    // A stream that was held is judged from a key frame behind the time of the wait.
    const resumed = paced(synthStream({ durationMs: 30_000, channels: 1, keyFrameIntervalMs: 5000 }));
    const resending = again.send(resumed).catch(() => undefined);
    await again.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6208);
    // It is in the journal of the second server, which does not start again: what the first shall find must be in Redis.
    await first.until(
      () => first.errors(live.id),
      (found) => [6503, 6208].every((code) => found.some((row) => row.error_code === code)),
    );

    // The holder dies while no Redis answers: the publish is held until Redis is back and the holder is known to be gone.
    await redis.kill();
    await second.kill('SIGKILL');
    await resending;
    const opening = Publisher.open(first, live.key);
    await first.until(
      async () => first.log,
      (log) => log.includes('Redis is unavailable'),
    );
    await redis.restart();
    const third = await opening;
    expect(third.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
    await third.send(paced(synthStream({ durationMs: 1000, channels: 1 })));
    expect(third.closed).toBe(false);
    await third.stop();
    // Both interruptions are one record, unless a slow machine let a minute pass between them. Its count is written with the end.
    const interruptions = (found: readonly { error_code: number; count: number }[]) =>
      found.filter((row) => row.error_code === 6503).reduce((sum, row) => sum + row.count, 0);
    const rows = await first.until(
      () => first.errors(live.id),
      (found) => interruptions(found) === 2,
    );
    expect((await first.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, index) => rows.length - index));
    const codes = [...new Set(rows.map((row) => row.error_code).reverse())];
    expect(codes.filter((code) => [6102, 6304, 6503, 6208].includes(code))).toEqual([6304, 6102, 6503, 6208]);
    // The judge began in mid-stream, not the encoder.
    expect(codes).not.toContain(6224);
    rmSync(folder, { recursive: true, force: true });
  },
);
