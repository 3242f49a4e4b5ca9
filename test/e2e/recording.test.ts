/** A broadcast becomes a video: over a reconnect, with its errors, served and played over HTTP. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Airlock } from '../support/airlock.js';
import { ffmpeg, over, source } from '../support/ffmpeg.js';

const run = promisify(execFile);

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
});
afterAll(() => airlock.stop());

test('joins two parts of a broadcast into one MP4 of their total length, readable over HTTP', async () => {
  const live = await airlock.createLive();
  const part = (seconds: number) =>
    ffmpeg([
      ...source({ seconds, keyFrames: 180, size: '640x360', videoKbps: 600 }),
      ...over(live.url, airlock.authorityFile),
    ]);
  await part(5);
  await part(6);
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'VOD',
  );
  const { video } = await airlock.get(`/${live.id}`, { fields: 'video{source,length,status,thumbnails{uri}}' });
  expect(video.status).toMatchObject({ video_status: 'ready' });
  expect(Math.abs(video.length - 11)).toBeLessThan(1);
  expect(video.thumbnails.data.length).toBeGreaterThan(1);
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration:stream=codec_name',
    '-of',
    'json',
    video.source,
  ]);
  const probed = JSON.parse(stdout);
  expect(Math.abs(Number(probed.format.duration) - 11)).toBeLessThan(1);
  expect(probed.streams.map((stream: { codec_name: string }) => stream.codec_name).sort()).toEqual(['aac', 'h264']);
  const ranged = await fetch(video.source, { headers: { range: 'bytes=0-99' } });
  expect(ranged.status).toBe(206);
  expect((await ranged.arrayBuffer()).byteLength).toBe(100);
  expect((await airlock.errorsButPace(video.id)).map((row) => row.error_code)).toEqual([6208]);
});
