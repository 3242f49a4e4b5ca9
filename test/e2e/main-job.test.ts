/** The main job as its users see it: real ffmpeg over checked TLS, errors pushed, kept and read back. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Airlock } from '../support/airlock.js';
import { ffmpeg, keptUp, over, source, start } from '../support/ffmpeg.js';
import { gstreamer } from '../support/gstreamer.js';
import { inFull } from '../support/in-full.js';
import { Publisher } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
});
afterAll(() => airlock.stop());

const codes = (rows: { error_code: number }[]) => rows.map((row) => row.error_code).sort();

test('a conforming stream raises no error and is LIVE while it runs', async () => {
  const live = await airlock.createLive();
  // Until its health has been read, which a busy machine delays.
  const running = start([...source({ seconds: 100 }), ...over(live.url, airlock.authorityFile)]);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  const health = await airlock.until(
    async () => (await airlock.get(`/${live.id}`, { fields: 'ingest_streams' })).ingest_streams?.[0]?.stream_health,
    (found) => found?.video_bitrate > 0 && found.video_gop_size > 0,
  );
  expect(health).toMatchObject({ video_width: 1280, video_height: 720, video_gop_size: 2000 });
  running.stop();
  const done = await running.done;
  // Of ffmpeg: ended by a signal, after it closed the stream.
  expect(done.code).toBe(255);
  const rows = await airlock.errors(live.id);
  expect(rows.filter(({ error_code }) => error_code !== 6406 || keptUp(done))).toEqual([]);
});

test('pushes 6208 at its mark for key frames every 6 s; it can be read by broadcast ID and video ID', async () => {
  const live = await airlock.createLive();
  const sparse = { size: '640x360', videoKbps: 700, seconds: 8, keyFrames: 180 };
  const done = await ffmpeg([...source(sparse), ...over(live.url, airlock.authorityFile)]);
  expect(done.code).toBe(0);
  const rows = await airlock.errors(live.id);
  expect(codes(rows)).toEqual([6208]);
  const [row] = rows;
  expect(row).toMatchObject({
    error_type: 'KEY_FRAME_INTERVAL_TOO_LONG',
    severity: 'error',
    sequence: 1,
    error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
  });
  expect(row!.stream_time_ms).toBeGreaterThan(4050);
  expect(row!.stream_time_ms).toBeLessThan(4150);
  const { video } = await airlock.get(`/${live.id}`, { fields: 'video' });
  expect(await airlock.errors(video.id)).toEqual(rows);
  const nested = await airlock.get(`/${live.id}`, { fields: 'errors' });
  expect(nested.errors.data).toEqual(rows);
});

inFull('names the audio fault of each of four concurrent streams', async () => {
  const streams: readonly (readonly [name: string, audio: string[], expected: number])[] = [
    ['MP3', ['-c:a', 'libmp3lame', '-b:a', '128k', '-ar', '44100', '-ac', '2'], 6301],
    ['mono', ['-c:a', 'aac', '-b:a', '96k', '-ac', '1', '-ar', '48000'], 6304],
    ['32 kHz', ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '32000'], 6303],
    ['no audio', ['-an'], 6402],
  ];
  const found = await Promise.all(
    streams.map(async ([name, audio]) => {
      const live = await airlock.createLive();
      // Small, since four encoders share the machine with the server.
      const small = { size: '640x360', videoKbps: 700, seconds: 7 };
      await ffmpeg([...source({ ...small, audio }), ...over(live.url, airlock.authorityFile)]);
      return [name, ...codes(await airlock.errors(live.id))];
    }),
  );
  expect(found).toEqual(streams.map(([name, , expected]) => [name, expected]));
});

test('ffmpeg prints the reason for a wrong key', async () => {
  const { key, url } = await airlock.createLive();
  const wrong = url.replace(key, `${key.slice(0, -4)}aaaa`);
  const { code, stderr } = await ffmpeg([...source({ seconds: 2 }), ...over(wrong, airlock.authorityFile)]);
  expect(code).toBe(1);
  expect(stderr).toContain('Server error: Unknown stream key');
});

test('reports HEVC over Enhanced RTMP and a size change during the stream', async () => {
  const hevc = await airlock.createLive();
  const publisher = await Publisher.open(airlock, hevc.key);
  await publisher.send(synthStream({ videoCodec: 'hvc1', enhanced: true, durationMs: 3000 }));
  const pushed = await publisher.status('NetStream.Publish.Violation');
  expect(pushed.fields).toMatchObject({
    level: 'warning',
    error_code: 6201,
    error_type: 'VIDEO_CODEC_UNSUPPORTED',
    broadcast_id: hevc.id,
  });
  await publisher.stop();

  const change = await airlock.createLive();
  const second = await Publisher.open(airlock, change.key);
  await second.send(
    synthStream({ durationMs: 9000, changes: [{ atMs: 5000, width: 640, height: 360, levelIdc: 30, videoKbps: 800 }] }),
  );
  const told = await second.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6403);
  expect(told.description).toMatch(/^\[6403 SETTINGS_CHANGED\]/);
  await second.stop();
  expect(codes(await airlock.errors(change.id))).toContain(6403);
});

/** A broadcast becomes a video: over a reconnect, with its errors, served and played over HTTP. */
describe('the recording', () => {
  const run = promisify(execFile);

  inFull('joins two parts of a broadcast into one MP4 of their total length, readable over HTTP', async () => {
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
});

/** GStreamer's own RTMP client over TLS: a clean stream, a refusal whose reason it prints, an end that it notices. */
describe('GStreamer', () => {
  test('a conforming stream is LIVE while it runs and raises no error', async () => {
    const live = await airlock.createLive();
    const running = gstreamer(live.url, 8);
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
    const { code, said } = await running.done;
    expect({ code, said }).toMatchObject({ code: 0 });
    // On a loaded machine the live sources of GStreamer are late and repeat stamps: then key frames may be late as well.
    const rows = await airlock.errors(live.id);
    const isStarved = rows.some(({ error_code }) => error_code === 6406 || error_code === 6411);
    expect(isStarved ? [] : rows).toEqual([]);
  });

  test('prints the reason for a wrong key', async () => {
    const { key, url } = await airlock.createLive();
    const { code, said } = await gstreamer(url.replace(key, `${key.slice(0, -4)}aaaa`), 4).done;
    expect(code).toBe(1);
    expect(said).toContain('Unknown stream key');
  });

  test('stops with an error when the owner ends the broadcast; a second attempt gets the reason', async () => {
    const live = await airlock.createLive();
    const running = gstreamer(live.url, 60);
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
    await airlock.post(`/${live.id}`, { end_live_video: 'true' });
    const { code, said } = await running.done;
    expect(code).toBe(1);
    expect(said).toContain('rtmp2sink0: Connection error');
    // Closed in order, with close_notify: not "TLS connection closed unexpectedly".
    expect(said).toContain('connection closed remotely');
    const again = await gstreamer(live.url, 4).done;
    expect(again.code).toBe(1);
    expect(again.said).toContain('This broadcast has ended');
  });
});

/** `?preflight=1` after the key: a verdict by onStatus and by GET, and nothing goes live. */
describe('a preflight', () => {
  const RULE = { code: expect.any(Number), judged: expect.stringMatching(/^(pass|warn|fail|not-judged)$/) };

  async function preflight(key: string, stream: Parameters<typeof synthStream>[0]) {
    const publisher = await Publisher.open(airlock, `${key}?preflight=1`);
    await publisher.send(synthStream({ durationMs: 22_000, ...stream }));
    const status = await publisher.status('NetStream.Publish.Preflight');
    await publisher.until(() => publisher.closed);
    return { status, verdict: JSON.parse(String(status.fields.verdict)) };
  }

  test('20 s of a good stream pass; rules without enough data are not judged', async () => {
    const live = await airlock.createLive();
    const { status, verdict } = await preflight(live.key, {});
    expect(status).toMatchObject({ level: 'status', description: expect.stringContaining('passed') });
    expect(verdict.result).toBe('pass');
    expect(verdict.streamTimeMs).toBeGreaterThanOrEqual(20_000);
    expect(verdict.rules).toContainEqual(expect.objectContaining({ ...RULE, code: 6208, judged: 'pass' }));
    expect(verdict.rules).toContainEqual(
      expect.objectContaining({ code: 6501, judged: expect.stringMatching(/pass|not-judged/) }),
    );
  });

  test('fails with a reason for a violated rule; the broadcast does not go live and keeps no record; GET returns the verdict', async () => {
    const live = await airlock.createLive();
    const { status, verdict } = await preflight(live.key, { keyFrameIntervalMs: 6000 });
    expect(status).toMatchObject({ level: 'error', description: expect.stringContaining('6208') });
    expect(verdict.rules).toContainEqual(expect.objectContaining({ code: 6208, judged: 'fail' }));
    const body = await airlock.get(`/${live.id}`, { fields: 'status,preflight' });
    expect(body.status).toBe('UNPUBLISHED');
    expect(body.preflight).toEqual(verdict);
    expect(await airlock.errors(live.id)).toEqual([]);
  });
});

/** Two ffmpeg processes of different start, clock and settings send to one broadcast: what is recorded goes on over each switch. */

inFull(
  '8 hours of media end the broadcast with 6501, and the persistent key opens a new one',
  async () => {
    const { secure_stream_url: url, live_video_id: first } = airlock.quickstart;
    const loop = `${airlock.folder}/loop.mp4`;
    // Few frames and few bytes, which are encrypted and recorded; the fixture of eight hours has the usual rates.
    const sparse = { rate: 2, size: '160x90', videoKbps: 20, audio: ['-an'] };
    await ffmpeg(['-y', ...source({ seconds: 60, realTime: false, ...sparse }), loop]);
    const { code, stderr } = await ffmpeg(
      ['-stream_loop', '-1', '-i', loop, '-c', 'copy', ...over(url, airlock.authorityFile)],
      200_000,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('Server error: [6501 DURATION_EXCEEDED]');
    expect(codes(await airlock.errors(first))).toContain(6501);
    expect((await airlock.get(`/${first}`, { fields: 'status' })).status).not.toBe('LIVE');
    const again = await ffmpeg([
      ...source({ seconds: 3, size: '640x360', videoKbps: 700 }),
      ...over(url, airlock.authorityFile),
    ]);
    expect(again.code).toBe(0);
    expect(airlock.readQuickstart().live_video_id).not.toBe(first);
  },
  240_000,
);

test('keeps an error that was pushed right before kill -9', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(synthStream({ durationMs: 1000, channels: 1 }));
  const pushed = await publisher.status('NetStream.Publish.Violation');
  await airlock.kill('SIGKILL');
  await airlock.restart();
  const rows = await airlock.errors(live.id);
  expect(rows.find((row) => row.id === pushed.fields.id)).toMatchObject({
    error_code: 6304,
    description: expect.any(String),
  });
});

test('distinguishes an unknown ID, a missing token and a wrong token', async () => {
  const unknown = await airlock.request('GET', '/1234567890123/errors');
  expect(unknown).toMatchObject({
    status: 400,
    body: { error: { code: 100, error_subcode: 'LIVE_VIDEO__NOT_EXIST', type: 'GraphMethodException' } },
  });
  const wrong = await airlock.request(
    'GET',
    `/${airlock.quickstart.live_video_id}/errors`,
    {},
    randomBytes(16).toString('hex'),
  );
  expect(wrong).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException' } } });
});

test('ffmpeg prints that the server restarts, on SIGTERM', async () => {
  const live = await airlock.createLive();
  const small = { size: '320x180', videoKbps: 300, seconds: 100 };
  const running = start([...source(small), ...over(live.url, airlock.authorityFile)]);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  expect(await airlock.kill('SIGTERM')).toBe(0);
  expect((await running.done).stderr).toContain('Server error: The server is restarting. Reconnect in a few seconds.');
});
