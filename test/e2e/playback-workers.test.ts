/** Watching a broadcast that another process receives. */
import { Airlock } from '../support/airlock.js';
import { FlvViewer } from '../support/playback-harness.js';
import { titleOf } from '../support/process-tree.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

let redis: RedisServer;
let airlock: Airlock;
beforeAll(async () => {
  redis = await RedisServer.start();
  airlock = await Airlock.start({ REDIS_URL: redis.url, AIRLOCK_RECORD: 'off', AIRLOCK_WORKERS: '2' });
});
afterAll(async () => {
  await airlock.stop();
  await redis.stop();
});

function playbackServer(): number {
  const found = airlock.pids.find((pid) => titleOf(pid) === 'airlock-playback');
  if (found === undefined) throw new Error('no playback server runs');
  return found;
}

test('a viewer continues after a killed playback server and after an encoder reconnect', async () => {
  const live = await airlock.createLive();
  const first = await Publisher.open(airlock, live.key);
  const sending = first.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  const { flv_path } = await airlock.get(`/playback/${live.id}`);
  const viewer = new FlvViewer(airlock.quickstart.http_url + flv_path);
  await viewer.until(() => viewer.frames.length >= 30);
  process.kill(playbackServer(), 'SIGKILL');
  await viewer.until(() => viewer.frames.length >= 90);
  const stepsMs = viewer.frames.slice(1).map((frame, index) => frame.timestampMs - viewer.frames[index]!.timestampMs);
  expect(Math.max(...stepsMs)).toBeLessThan(40);

  first.cut();
  await sending;
  const before = viewer.frames.length;
  const second = await Publisher.open(airlock, live.key);
  expect(second.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  const again = second.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  await viewer.until(() => viewer.frames.length >= before + 60);
  const times = viewer.frames.map(({ timestampMs }) => timestampMs);
  expect([...times].sort((a, b) => a - b)).toEqual(times);
  expect(viewer.ended).toBe(false);

  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await viewer.until(() => viewer.ended);
  await again;
  expect((await fetch(airlock.quickstart.http_url + flv_path)).status).toBe(404);
});
