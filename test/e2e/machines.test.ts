/** Two machines with a disk each, one Redis and one object storage: the broadcast outlives the machine it began on, or is on air on. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { Airlock } from '../support/airlock.js';
import { DEAD_MS, EncoderPair, expectPlaysThrough, KEY_FRAMES_MS, SLACK_MS } from '../support/encoder-pair.js';
import { ffmpeg, over, type SourceOptions, source } from '../support/ffmpeg.js';
import { inFull } from '../support/in-full.js';
import { RedisServer } from '../support/redis-server.js';
import { type S3, startS3 } from '../support/s3-server.js';

const run = promisify(execFile);

let redis: RedisServer;
let storage: S3;
let first: Airlock;
let second: Airlock;

beforeAll(async () => {
  redis = await RedisServer.start({ durable: true });
  storage = await startS3();
  const env = {
    REDIS_URL: redis.url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    ...storage.env,
  };
  // At once on an empty store, where one of them makes the objects of the quickstart.
  [first, second] = await Promise.all([Airlock.start(env), Airlock.start(env)]);
  expect(second.quickstart.page_id).toBe(first.quickstart.page_id);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await storage.close();
  await redis.stop();
});

/** When the last packet of a segment was sent, by the encoder's own clock. */
function lastMs(path: string): number {
  let last = 0;
  const reader = new FlvFileReader({
    tag: (_kind, timestampMs) => {
      last = Math.max(last, timestampMs);
    },
  });
  reader.push(readFileSync(path));
  return last;
}

inFull(
  'a broadcast continues on a second machine after kill -9 of the first, as one MP4 with the errors of both',
  async () => {
    const live = await first.createLive();
    const publish = (to: Airlock, seconds: number, fault: SourceOptions) =>
      ffmpeg([
        ...source({ seconds, size: '640x360', videoKbps: 600, ...fault }),
        ...over(`${to.quickstart.stream_url_base}${live.key}`, to.authorityFile),
      ]);
    const recordings = join(first.folder, 'data', 'recordings', live.id);
    const lost = publish(first, 60, { keyFrames: 150 });
    // What is in its journal alone stays with the machine.
    await first.until(
      () => first.errors(live.id),
      (found) => found.some((row) => row.error_code === 6208),
    );
    // Some parts have been carried to the storage, where they stay alone, and packets of the next one are on the disk.
    await first.until(
      async () => (existsSync(recordings) ? (readdirSync(recordings).sort().at(-1) ?? '') : ''),
      (name) => Number(name.slice(-8, -4)) >= 3 && lastMs(join(recordings, name)) > 0,
    );
    await first.kill('SIGKILL');
    await lost;
    const left = readdirSync(recordings).map((name) => join(recordings, name));
    const lengthOfFirst = Math.max(...left.map(lastMs)) / 1000;

    expect(await publish(second, 7, { audio: ['-an'] })).toMatchObject({ code: 0 });
    expect((await second.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
    await second.post(`/${live.id}`, { end_live_video: 'true' });
    const stored = (await second.errors(live.id)).reverse();
    expect(stored.map((row) => row.sequence)).toEqual(stored.map((_row, index) => index + 1));
    const rows = (await second.errorsButPace(live.id)).reverse();
    expect(rows.map((row) => row.error_code)).toEqual([6208, 6503, 6402]);
    expect(rows.map((row) => row.timestamp)).toEqual(rows.map((row) => row.timestamp).sort());

    // The video does not wait for the machine: it has a gap, and a record of it.
    await second.until(
      () => second.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'VOD',
    );
    await second.until(
      () => second.errors(live.id),
      (found) => found.some((row) => row.error_code === 6506),
    );

    expect((await second.errors(live.id)).find((row) => row.error_code === 6506)).not.toHaveProperty('cleared_time');

    // The machine comes back; nothing has touched its files for a minute.
    const old = new Date(Date.now() - 60_000);
    for (const path of left) utimesSync(path, old, old);
    await first.restart();
    await second.until(
      () => second.get(`/${live.id}`, { fields: 'video{length}' }),
      (body) => body.video.length > lengthOfFirst + 7 - 1,
    );
    await second.until(
      () => second.errors(live.id),
      (found) => found.some((row) => row.error_code === 6506 && row.cleared_time !== undefined),
    );
    const { video } = await second.get(`/${live.id}`, { fields: 'video{source,length,status}' });
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format=duration',
      '-of',
      'json',
      video.source,
    ]);
    const seconds = Number(JSON.parse(stdout).format.duration);
    expect(Math.abs(seconds - (lengthOfFirst + 7))).toBeLessThan(1);
  },
);

inFull('when the machine on air is killed, the backup goes on air on the other one, in one recording', async () => {
  const pair = await EncoderPair.create(first);
  const encoders = [pair.encode(0)];
  await pair.onAir(0);
  encoders.push(pair.encode(1, second, {}, 4_000_000));
  await pair.both();
  await first.kill('SIGKILL');
  pair.asked = second;
  await pair.onAir(1);
  expect(await pair.toldGapMs(1)).toBeLessThan(DEAD_MS + KEY_FRAMES_MS + SLACK_MS);
  // The segments of the first machine are on its disk.
  await first.restart();
  encoders.push(pair.encode(0, first));
  await pair.both();
  await pair.command(0);
  await pair.onAir(0);
  await expectPlaysThrough(await pair.recorded(), DEAD_MS + KEY_FRAMES_MS + SLACK_MS);
  await Promise.all(encoders.map(({ done }) => done));
});
