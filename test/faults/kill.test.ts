/** kill -9 of the server at random moments: no pushed record is lost or duplicated. */
import { randomInt } from 'node:crypto';
import { setTimeout as later } from 'node:timers';
import { serversOfEachTest } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const server = serversOfEachTest();

const ROUNDS = 5;
const ENCODERS = 6;
const VIOLATION = 'NetStream.Publish.Violation';
const faulty = () =>
  synthStream({
    durationMs: 4_000,
    channels: 1,
    sampleRate: 32_000,
    videoKbps: 400,
    width: 640,
    height: 360,
    levelIdc: 30,
  });

const pushedIds = (publisher: Publisher): string[] =>
  publisher.statuses.filter((status) => status.code === VIOLATION).map((status) => String(status.fields.id));

test('keeps every pushed record exactly once across a kill -9', async () => {
  const airlock = await server({ AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' });
  const pushed = new Map<string, Set<string>>();
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const lives = await Promise.all(Array.from({ length: ENCODERS }, () => airlock.createLive()));
    const publishers = await Promise.all(lives.map(({ key }) => Publisher.open(airlock, key)));
    const sending = publishers.map((publisher) => publisher.send(faulty()));
    await Promise.race(publishers.map((publisher) => publisher.status(VIOLATION)));
    const delayMs = randomInt(0, 40);
    delays.push(delayMs);
    const killed = new Promise((resolve) => later(() => resolve(airlock.kill('SIGKILL')), delayMs));
    await Promise.all([killed, ...sending]);
    await Promise.all(publishers.map((publisher) => publisher.until(() => publisher.closed)));
    for (const [index, publisher] of publishers.entries())
      pushed.set(lives[index]?.id ?? '', new Set(pushedIds(publisher)));
    await airlock.restart();
  }
  for (const [id, ids] of pushed) {
    const rows = await airlock.errors(id);
    expect([delays, [...ids].filter((each) => !rows.some((row) => row.id === each))]).toEqual([delays, []]);
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, at) => rows.length - at));
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  }
  expect([...pushed.values()].reduce((sum, ids) => sum + ids.size, 0)).toBeGreaterThanOrEqual(ROUNDS);
});

test('replaces one killed ingest process: the others continue, and its encoders reconnect', async () => {
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
