/**
 * The version before and this one, both built: each opens what the other left when it was killed, and goes on with it, and both serve on one
 * Redis.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Airlock, MAIN } from '../support/airlock.js';
import { FeedClient } from '../support/feed-client.js';
import { pushedIds, VIOLATION } from '../support/kills.js';
import { expectDelivered, expectGoesOn, KEY_SECRET, leave, WebhookReceiver } from '../support/left-data.js';
import { FlvViewer } from '../support/playback-harness.js';
import { buildPreviousVersion } from '../support/previous-version.js';
import { Publisher, paced } from '../support/publisher.js';
import { freePort, RedisServer } from '../support/redis-server.js';
import { startS3 } from '../support/s3-server.js';
import { synthStream } from '../support/synth-stream.js';

const run = promisify(execFile);
const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };

const mainOf = (version: string) => (version === 'this one' ? MAIN : previous);

const folder = mkdtempSync(join(tmpdir(), 'airlock-upgrade-'));
let previous: string;
let redis: RedisServer;
let receiver: WebhookReceiver;
beforeAll(async () => {
  previous = buildPreviousVersion(join(folder, 'previous'));
  redis = await RedisServer.start({ durable: true });
});
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.stop());
afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['lmdb', 'redis'])('on %s', (store) => {
  test.each([
    ['the version before', 'this one'],
    ['this one', 'the version before'],
  ])('data that %s left is opened by %s, which goes on with it', async (from, to) => {
    const shared = store === 'redis' ? { REDIS_URL: redis.url, AIRLOCK_KEY_SECRET: KEY_SECRET } : {};
    const env = { ...shared, AIRLOCK_WEBHOOK_URL: receiver.url };
    const airlock = await Airlock.start(env, undefined, [], mainOf(from));
    try {
      const left = await leave(airlock, () => {
        if (store === 'redis') redis.freeze();
        else process.kill(airlock.pidOf('store'), 'SIGSTOP');
      });
      redis.thaw();
      expect(receiver.refused).toBeGreaterThan(0);
      receiver.isOpen = true;
      airlock.main = mainOf(to);
      await airlock.restart();
      await expectGoesOn(airlock, left);
      await expectDelivered(airlock, receiver, left);
    } finally {
      await airlock.stop();
    }
  });
});

test.each([
  ['the version before', 'this one'],
  ['this one', 'the version before'],
])(
  'while %s receives a stream and %s serves beside it, either reads, ends and takes over what the other has',
  async (here, there) => {
    const storage = await startS3();
    const env = {
      REDIS_URL: redis.url,
      AIRLOCK_KEY_SECRET: KEY_SECRET,
      AIRLOCK_WEBHOOK_URL: receiver.url,
      ...storage.env,
    };
    receiver.isOpen = true;
    const port = String(await freePort());
    const http = { AIRLOCK_HTTP_PORT: port, AIRLOCK_INTERNAL_HTTP_URL: `http://127.0.0.1:${port}/` };
    const first = await Airlock.start({ ...env, ...http }, undefined, [], mainOf(here));
    const second = await Airlock.start({ ...env, AIRLOCK_QUICKSTART: 'on' }, undefined, [], mainOf(there));
    try {
      // Read: state, health, records in the feed and by ID, a player.
      const ended = await second.createLive();
      const feed = await FeedClient.open(`${second.quickstart.http_url.replace('http', 'ws')}/live`, {
        type: 'subscribe',
        token: second.quickstart.access_token,
        broadcasts: [ended.id],
      });
      const received = await Publisher.open(first, ended.key);
      const sending = received.send(paced(synthStream({ ...SMALL, durationMs: 120_000, channels: 1 })));
      await received.status(VIOLATION);
      const [pushed] = pushedIds(received);
      await feed.next('records', ({ records }) => records.some(({ id }) => id === pushed));
      expect((await second.errors(ended.id)).map(({ id }) => id)).toContain(pushed);
      await second.until(
        () => second.get(`/${ended.id}`, { fields: 'status,ingest_streams{stream_health}' }),
        ({ status, ingest_streams: [stream] = [] }) => status === 'LIVE' && stream?.stream_health?.video_framerate > 0,
      );
      const { flv_path: path } = await second.until(
        () => second.get(`/playback/${ended.id}`),
        (body) => body.flv_path !== undefined,
      );
      const viewer = await second.until(
        async () => {
          const opened = new FlvViewer(second.quickstart.http_url + path);
          await opened.until(() => opened.status !== 0 || opened.ended);
          return opened;
        },
        ({ status }) => status === 200,
      );
      await viewer.until(() => viewer.frames.length >= 30);

      // End.
      await second.post(`/${ended.id}`, { end_live_video: 'true' });
      await received.until(() => received.closed);
      await viewer.until(() => viewer.ended);
      expect(received.statuses.at(-1)).toMatchObject({ description: expect.stringMatching(/ended/) });
      await sending;

      // Take over: the lease of a machine that dies, and back when the other one drains.
      const moved = await first.createLive();
      const old = await Publisher.open(first, moved.key);
      const lost = old.send(paced(synthStream({ ...SMALL, durationMs: 120_000, channels: 1 })));
      await first.until(
        () => first.errors(moved.id),
        (rows) => rows.some(({ error_code }) => error_code === 6304),
      );
      await first.kill('SIGKILL');
      await lost;
      const next = await Publisher.open(second, moved.key, 'live', { connectProperties: { capsEx: 1 } });
      expect(next.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
      await first.restart();
      const drained = next.send(paced(synthStream({ ...SMALL, durationMs: 120_000, channels: 1 })));
      await second.until(
        () => second.get(`/${moved.id}`, { fields: 'status' }),
        ({ status }) => status === 'LIVE',
      );
      process.kill(second.pid, 'SIGUSR2');
      await next.status('NetConnection.Connect.ReconnectRequest');
      next.cut();
      await drained;
      const back = await Publisher.open(first, moved.key);
      expect(back.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
      await back.send(paced(synthStream({ ...SMALL, durationMs: 3_000, channels: 1 })));
      await back.stop();
      await second.post(`/${moved.id}`, { end_live_video: 'true' });
      for (const { id } of [ended, moved]) {
        for (const airlock of [first, second]) {
          await airlock.until(
            () => airlock.get(`/${id}`, { fields: 'status,video{length}' }),
            ({ status, video }) => status === 'VOD' && video.length > 0,
          );
          const rows = (await airlock.errors(id)).reverse();
          expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, at) => at + 1));
        }
        await first.until(
          async () => receiver.of(id),
          (events) => events.includes('VOD'),
        );
        const deliveries = receiver.events.filter((event) => event.id === id).map(({ delivery }) => delivery);
        expect(deliveries.length - new Set(deliveries).size).toBeLessThanOrEqual(1);
      }
    } finally {
      await Promise.all([first.stop(), second.stop()]);
      await storage.close();
    }
  },
);

test.each([
  ['the version before', 'this one'],
  ['this one', 'the version before'],
])('airlock reload from %s to %s is refused with the reason, and the server goes on', async (from, to) => {
  const installed = join(folder, `installed ${from}`);
  symlinkSync(join(mainOf(from), '../..'), installed);
  const main = join(installed, 'dist/main.js');
  const airlock = await Airlock.start({}, undefined, [], main);
  try {
    unlinkSync(installed);
    symlinkSync(join(mainOf(to), '../..'), installed);
    const reload = run(process.execPath, [main, 'reload', '--data-dir', join(airlock.folder, 'data')]);
    await expect(reload).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/needs a restart of the whole server/),
    });
    expect(await airlock.get(`/${airlock.quickstart.live_video_id}`, { fields: 'id' })).toMatchObject({
      id: airlock.quickstart.live_video_id,
    });
  } finally {
    await airlock.stop();
  }
});

test.each(['the version before', 'this one'])(
  'a store that a later version has upgraded is refused by %s, with the reason',
  async (version) => {
    const later = await RedisServer.start();
    const client = later.client();
    try {
      await client.set('airlock:{format}:format', '99');
      const start = Airlock.start({ REDIS_URL: later.url }, join(folder, `refused by ${version}`), [], mainOf(version));
      await expect(start).rejects.toThrow(
        /ended with 3:[\s\S]*has format 99, and this version of Airlock knows formats up to/,
      );
    } finally {
      client.disconnect();
      await later.stop();
    }
  },
);
