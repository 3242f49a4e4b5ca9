/** A server whose streams are received by other processes: metrics, viewers and reads learn at once what happens there. */

import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { FeedClient } from '../support/feed-client.js';
import { inFull } from '../support/in-full.js';
import { FlvViewer } from '../support/playback-harness.js';
import { titleOf } from '../support/process-tree.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { slowRecords } from '../support/slow-records.js';
import { synthStream } from '../support/synth-stream.js';

/** A static build, which lacks the chromaprint muxer. */
const { path: FFMPEG_PATH }: { path: string } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg');

let redis: RedisServer;
let slow: Awaited<ReturnType<typeof slowRecords>>;
let airlock: Airlock;
beforeAll(async () => {
  redis = await RedisServer.start();
  slow = await slowRecords(redis);
  airlock = await Airlock.start({ REDIS_URL: slow.url, AIRLOCK_WORKERS: '2', AIRLOCK_MEDIA_IDLE_S: '0', FFMPEG_PATH });
});
afterAll(async () => {
  await airlock.stop();
  slow.server.close();
  await redis.stop();
});

async function metrics(): Promise<Map<string, number>> {
  const text = await (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^(?:airlock|process)_/.test(line));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** Asked again until they say so; the test's own time limit is the limit. */
const until = (willDo: (seen: Map<string, number>) => boolean) => airlock.until(metrics, willDo);

/** Returns how many there were. */
function killProcesses(title: string): number {
  const found = airlock.pids.filter((pid) => titleOf(pid) === title);
  for (const pid of found) process.kill(pid, 'SIGKILL');
  return found.length;
}

function recordedBytes(): number {
  const folder = join(airlock.folder, 'data', 'recordings');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

inFull('sums streams, bytes, viewers, spool and jobs over all processes', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  const running = await until(
    (seen) => seen.get('airlock_publishers') === 1 && (seen.get('airlock_spool_bytes') ?? 0) > 0,
  );
  expect(running.get('airlock_connections')).toBe(1);
  expect(running.get('airlock_received_packets_total')).toBeGreaterThan(0);
  expect(running.get('airlock_event_loop_delay_p99_seconds')).toBeGreaterThan(0);
  expect(running.get('airlock_playback_viewers')).toBe(0);
  await saysThatNothingIsCompared(live.id, running);

  const { flv_path } = await airlock.get(`/playback/${live.id}`);
  const viewer = new FlvViewer(airlock.quickstart.http_url + flv_path);
  await until((seen) => seen.get('airlock_playback_viewers') === 1 && seen.get('airlock_playback_relays') === 1);
  await viewer.until(() => viewer.frames.length > 0);
  killProcesses('airlock-playback');
  await until((seen) => seen.get('airlock_playback_server_ends_total') === 1);

  // Counted where the stream is received, once the media process has run ffprobe on it.
  await until((seen) => seen.get('airlock_probe_samples_total') === 1);
  publisher.cut();
  await sending;
  await until((seen) => seen.get('airlock_publishers') === 0);
  // The last packets are written after their publisher has gone.
  const waiting = await until((seen) => seen.get('airlock_spool_bytes') === recordedBytes());
  expect(waiting.get('airlock_spool_bytes')).toBeGreaterThan(0);
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  // The job waits a moment for the last packets, then the recording becomes a video and leaves the spool.
  await until((seen) => seen.get('airlock_jobs{kind="recording"}') === 1);
  const done = await until((seen) => seen.get('airlock_jobs{kind="recording"}') === 0);
  expect(done.get('airlock_spool_bytes')).toBe(0);
  expect(recordedBytes()).toBe(0);
});

test('a killed process removes its streams but none of the totals', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  const before = await until((seen) => seen.get('airlock_publishers') === 1);
  const readyz = () => airlock.request('GET', '/readyz');
  expect((await readyz()).body).toEqual({
    status: 'ok',
    checks: { store: 'ok', ingest: 'ok', media: 'ok', web: 'ok' },
  });
  expect(killProcesses('airlock-ingest')).toBe(2);
  // An answer is reused for half a second, in which both may be back.
  const whileKilled = async () => {
    killProcesses('airlock-ingest');
    return readyz();
  };
  const gone = await airlock.until(whileKilled, ({ status }) => status !== 200);
  expect([gone.status, gone.body.checks]).toEqual([
    503,
    { store: 'ok', ingest: 'no ingest process runs', media: 'ok', web: 'ok' },
  ]);
  await sending;
  const after = await until((seen) => (seen.get('airlock_ingest_process_ends_total') ?? 0) >= 2);
  expect(after.get('airlock_received_bytes_total')).toBeGreaterThanOrEqual(
    before.get('airlock_received_bytes_total') ?? Number.POSITIVE_INFINITY,
  );
  await until((seen) => seen.get('airlock_publishers') === 0);
  await airlock.until(readyz, ({ status }) => status === 200);
});

/** Prints of sound need the muxer. */
async function saysThatNothingIsCompared(liveVideoId: string, seen: Map<string, number>): Promise<void> {
  expect([seen.get('airlock_copyright_on'), seen.get('airlock_copyright_unavailable')]).toEqual([0, 1]);
  const feed = await FeedClient.open(`${airlock.quickstart.http_url.replace('http', 'ws')}/live`, {
    type: 'subscribe',
    token: airlock.quickstart.access_token,
  });
  await feed.next('health', ({ health }) => health?.copyright_check === 'unavailable');
  await feed.close();
  const { video } = await airlock.get(`/${liveVideoId}`, { fields: 'video' });
  const { status } = await airlock.get(`/${video.id}`, { fields: 'status' });
  expect(status.copyright_check_status).toEqual({ status: 'not_started', matches_found: false });
  expect(airlock.log).toContain('ffmpeg has no chromaprint muxer: the copyright detector is off');
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data'), REDIS_URL: redis.url, FFMPEG_PATH };
  const { stdout } = await runCli(['doctor'], { env });
  expect(stdout).toContain('ffmpeg has no chromaprint muxer: the detector of copyright matches is off');
}

/** Watching a broadcast that another process receives. */
describe('playback', () => {
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
});

/** What one process told an encoder, asked of another at once: it waits until the store has it, however slow that is. */
describe('fresh errors', () => {
  test('a GET right after a push returns the record of any process', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const live = await airlock.createLive();
      const publisher = await Publisher.open(airlock, live.key);
      const sending = publisher.send(paced(synthStream({ durationMs: 60_000, channels: 1 }))).catch(() => undefined);
      const { fields } = await publisher.status(
        'NetStream.Publish.Violation',
        (each) => each.fields.error_code === 6304,
      );
      const [list, nested, counted] = await Promise.all([
        airlock.errors(live.id),
        airlock.get(`/${live.id}`, { fields: 'errors{id}' }),
        airlock.get(`/${live.id}/errors`, { summary: 'total_count', limit: '0' }),
      ]);
      expect(list.map(({ id }) => id)).toContain(fields.id);
      expect(nested.errors.data).toContainEqual({ id: fields.id });
      expect(counted.summary.total_count).toBeGreaterThan(0);
      publisher.cut();
      await sending;
    }
  });
});
