/** The end of the process when what it needs for a good end is away: bounded, said, and nothing that was told is lost. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { casesNow } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };
const VIOLATION = 'NetStream.Publish.Violation';

let redis: RedisServer;
let airlock: Airlock;
beforeAll(async () => {
  redis = await RedisServer.start({ durable: true });
  airlock = await Airlock.start({ REDIS_URL: redis.url, AIRLOCK_LOG_LEVEL: 'warn' });
});
afterAll(async () => {
  await airlock.stop();
  await redis.stop();
});

const AWAY: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
  ['killed', () => redis.kill(), () => redis.restart()],
  ['standing still', async () => redis.freeze(), async () => redis.thaw()],
];

test.each(casesNow(AWAY, ([what]) => what === 'standing still'))(
  'exits with 0 on SIGTERM with Redis %s, and keeps what was pushed',
  async (_what, away, back) => {
    const live = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key);
    const sending = publisher.send(paced(synthStream({ ...SMALL, durationMs: 8_000, keyFrameIntervalMs: 6_000 })));
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
    await away();
    const pushed = await publisher.status(VIOLATION);
    expect(await airlock.kill('SIGTERM')).toBe(0);
    await publisher.until(() => publisher.closed);
    expect(publisher.statuses.at(-1)).toMatchObject({
      level: 'error',
      description: expect.stringMatching(/reconnect/i),
    });
    await sending.catch(() => undefined);

    await back();
    await airlock.restart();
    const rows = await airlock.until(
      () => airlock.errors(live.id),
      (found) => found.length > 1,
    );
    expect(rows.map((row) => row.error_code)).toEqual([6503, 6208]);
    // Not the network of the encoder.
    expect(rows[0]?.description).toMatch(
      /\(the server .*stopped(; up to [\d.]+ s of the stream are missing)?\)\. No change is needed/,
    );
    expect(rows.at(-1)?.id).toBe(pushed.fields.id);
    expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
  },
);

test('a second signal ends a pending shutdown', async () => {
  // Object storage that takes connections and never answers: the end of the process waits for the last segment.
  const held = new Set<Socket>();
  const storage = createServer((socket) => {
    held.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await once(storage.listen(0, '127.0.0.1'), 'listening');
  const airlock = await Airlock.start({
    AIRLOCK_BLOB_URL: `s3://media?endpoint=http://127.0.0.1:${(storage.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'any',
    AWS_SECRET_ACCESS_KEY: 'any',
  });
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(synthStream({ ...SMALL, durationMs: 1_000 }));
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  // The client of object storage prints a notice on old versions of Node.js.
  for (const line of airlock.log.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  const before = held.size;
  process.kill(airlock.pid, 'SIGTERM');
  await airlock.until(
    async () => held.size,
    (size) => size > before,
  );
  expect(await airlock.kill('SIGTERM')).toBe(1);
  for (const socket of held) socket.destroy();
  storage.close();
  await airlock.stop();
});
