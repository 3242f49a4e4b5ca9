/** Watching a running broadcast with real players, through the built server. */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Airlock } from '../support/airlock.js';
import { faultsOf, launchBrowser } from '../support/browser.js';
import { ffmpeg, over, source, start } from '../support/ffmpeg.js';
import { inFull } from '../support/in-full.js';
import { titleOf } from '../support/process-tree.js';

let airlock: Airlock;
let live: { id: string; url: string };
let publisher: ReturnType<typeof start>;
beforeAll(async () => {
  airlock = await Airlock.start();
  live = await airlock.createLive();
  publisher = start([
    ...source({ seconds: 120, size: '640x360', videoKbps: 420 }),
    ...over(live.url, airlock.authorityFile),
  ]);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
});
afterAll(async () => {
  publisher.kill();
  await airlock.stop();
});

/** The process of node-media-server, a child of the server's. */
function childPid(): number | undefined {
  return airlock.pids.find((pid) => titleOf(pid) === 'airlock-playback');
}

function killChild(): number {
  const pid = childPid();
  if (pid === undefined) throw new Error('no playback server runs');
  process.kill(pid, 'SIGKILL');
  return pid;
}

async function paths(): Promise<{ flv: string; hls: string }> {
  const body = await airlock.get(`/playback/${live.id}`);
  return { flv: airlock.quickstart.http_url + body.flv_path, hls: airlock.quickstart.http_url + body.hls_path };
}

/** Run in the page: a player for each address, and what went wrong in any of them as an error of the page. */
const PLAY = `(urls) => {
  mpegts.LoggingControl.enableAll = false;
  for (const url of urls) {
    const video = document.createElement('video');
    video.muted = true;
    document.body.append(video);
    const player = mpegts.createPlayer({ type: 'flv', isLive: true, url }, { liveBufferLatencyChasing: true });
    const fail = (what) => (...details) => console.error(what, JSON.stringify(details));
    player.on(mpegts.Events.ERROR, fail('error'));
    player.on(mpegts.Events.LOADING_COMPLETE, fail('ended'));
    player.attachMediaElement(video);
    player.load();
    player.play();
  }
}`;
const PROGRESS = `[...document.querySelectorAll('video')].map((video) => video.currentTime)`;

interface Stream {
  codec_name: string;
  width?: number;
  height?: number;
  sample_rate?: string;
}

async function probe(url: string): Promise<Stream[]> {
  const args = ['-v', 'error', '-show_streams', '-of', 'json', '-analyzeduration', '3000000', url];
  const { stdout } = await promisify(execFile)('ffprobe', args, { timeout: 40_000 });
  return JSON.parse(stdout).streams;
}

const expected = [
  expect.objectContaining({ codec_name: 'h264', width: 640, height: 360 }),
  expect.objectContaining({ codec_name: 'aac', sample_rate: '48000' }),
];

test('relays nothing and runs no playback server without viewers', () => {
  expect(childPid()).toBeUndefined();
});

test('refuses viewers without a ticket or with a wrong token', async () => {
  const url = `${airlock.quickstart.http_url}/playback/${live.id}`;
  for (const path of [url, `${url}.flv`, `${url}/index.m3u8`]) {
    expect((await fetch(path)).status).toBe(403);
    expect((await fetch(path, { headers: { authorization: 'Bearer wrong' } })).status).toBe(403);
  }
  expect(childPid()).toBeUndefined();
});

test('ffprobe plays HTTP-FLV', async () => {
  expect((await probe((await paths()).flv)).sort((a, b) => b.codec_name.localeCompare(a.codec_name))).toEqual(expected);
  expect(childPid()).toBeDefined();
});

test('a player shows every frame after the playback server is killed, and the encoder loses nothing', async () => {
  const { flv } = await paths();
  const player = start(['-v', 'error', '-stats', '-i', flv, '-t', '12', '-f', 'null', '-'], 60_000);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'live_views' }),
    (body) => body.live_views === 1,
  );
  const before = killChild();
  await airlock.until(
    async () => childPid(),
    (pid) => pid !== undefined && pid !== before,
  );
  const { code, stderr } = await player.done;
  expect(code).toBe(0);
  const frames = [...stderr.matchAll(/frame=\s*(\d+)/g)].map(([, count]) => Number(count)).at(-1);
  expect(frames).toBeGreaterThanOrEqual(12 * 30 - 2);
  // Nothing but its progress: no packet was missing or damaged.
  expect(stderr.replace(/frame=.*?(\r|\n|$)/gs, '').trim()).toBe('');
  expect(await airlock.errorsButPace(live.id)).toEqual([]);
  const health = (await airlock.get(`/${live.id}`, { fields: 'ingest_streams' })).ingest_streams[0].stream_health;
  expect(health.video_framerate).toBeGreaterThan(29);
});

inFull('mpegts.js in Chromium: over HTTP and WebSocket, also while the playback server is killed', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const faults = faultsOf(page);
    await page.addScriptTag({ path: join(import.meta.dirname, '../../node_modules/mpegts.js/dist/mpegts.js') });
    const { flv } = await paths();
    const urls = [flv, flv.replace('http:', 'ws:')];
    await page.evaluate(`(${PLAY})(${JSON.stringify(urls)})`);
    const progress = (): Promise<number[]> => page.evaluate(PROGRESS);
    const begun = await airlock.until(progress, (seconds) => Math.min(...seconds) > 1);
    killChild();
    const least = Math.max(...begun) + 4;
    await airlock.until(progress, (seconds) => Math.min(...seconds) > least);
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('HLS: a playlist with a ticket in it, which ffprobe plays', async () => {
  const { hls } = await paths();
  const text = await (await fetch(hls)).text();
  const ticket = new URL(hls).searchParams.get('ticket');
  const segments = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(segments.length).toBeGreaterThan(0);
  for (const segment of segments) expect(segment).toMatch(new RegExp(`^\\d+\\.ts\\?ticket=${ticket}$`));
  expect((await fetch(new URL(segments[0]?.split('?')[0] ?? '', hls))).status).toBe(403);
  expect((await probe(hls)).sort((a, b) => b.codec_name.localeCompare(a.codec_name))).toEqual(expected);
  // The frame for other people's pages: a page without scripts around the same preview.
  const { embed_html: markup } = await airlock.get(`/${live.id}`, { fields: 'embed_html' });
  const frame = await fetch(/^<iframe src="([^"]+)"/.exec(markup)?.[1] ?? '');
  expect(frame.headers.get('content-security-policy')).toContain('frame-ancestors *');
  const source = /<source src="([^"]+)"/.exec(await frame.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(await probe(new URL(source, airlock.quickstart.http_url).href)).toHaveLength(2);
  const decoded = await ffmpeg(['-v', 'error', '-i', hls, '-t', '4', '-f', 'null', '-'], 60_000);
  expect(decoded.code).toBe(0);
  // x264's first message refers to parameter sets that MPEG-TS has behind it; ffmpeg says so, and decodes all of it.
  const said = decoded.stderr.split('\n').filter((line) => line !== '' && !line.includes('in buffering period'));
  expect(said).toEqual([]);
});

test('disconnects viewers and removes preview files when the broadcast ends', async () => {
  const { flv } = await paths();
  const reader = (await fetch(flv)).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  // In order: a broken connection would be an error here.
  while ((await reader?.read())?.done === false);
  expect((await fetch(flv)).status).toBe(404);
  const insights = async (): Promise<Record<string, number>> => {
    const { video } = await airlock.get(`/${live.id}`, { fields: 'video' });
    const { data } = await airlock.get(`/${video.id}/video_insights`);
    return Object.fromEntries(
      data.map((row: { name: string; values: { value: number }[] }) => [row.name, row.values[0]?.value]),
    );
  };
  // The last viewer's time is written after the answer has ended.
  const seen = await airlock.until(insights, (now) => (now.total_video_view_total_time_live ?? 0) > 0);
  expect(seen.total_video_views_live).toBeGreaterThan(0);
  expect(seen.total_video_views).toBe(seen.total_video_views_live);
  expect(seen.live_video_peak_viewers).toBeGreaterThan(0);
  expect(seen.live_video_average_viewers).toBeGreaterThan(0);
  await airlock.kill('SIGTERM');
  expect(readdirSync(join(airlock.folder, 'data', 'previews'))).toEqual([]);
});
