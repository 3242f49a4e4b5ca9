/** A disk becomes nearly full (AIRLOCK_DISK_RESERVE) or full, and is freed again. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { Airlock, MAIN } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { SmallDisk } from '../support/small-disk.js';
import { type SynthMessage, synthStream } from '../support/synth-stream.js';

const DISK_BYTES = 200e6;
const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };

let disk: SmallDisk;
let airlock: Airlock;
let sent: number;
let isOver: boolean;
beforeEach(async () => {
  sent = 0;
  isOver = false;
  disk = await SmallDisk.mount(DISK_BYTES);
  airlock = await Airlock.start({ AIRLOCK_DISK_RESERVE: '20%' }, disk.folder);
});
afterEach(async () => {
  await airlock.stop();
  await disk.unmount();
});

async function* counted(messages: AsyncIterable<SynthMessage>): AsyncGenerator<SynthMessage> {
  for await (const message of messages) {
    if (isOver) return;
    sent++;
    yield message;
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
  return Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function upload(): Promise<{ status: number; body: { error?: object; id?: string } }> {
  const { page_id: page, access_token: token, http_url: address } = airlock.quickstart;
  const form = new FormData();
  form.append('source', new Blob([Buffer.alloc(50_000)]), 'a.mp4');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(new URL(`/${page}/videos`, address), { method: 'POST', headers, body: form });
  return { status: answer.status, body: (await answer.json()) as { error?: object; id?: string } };
}

function tagsOf(liveVideoId: string): string[][] {
  const folder = join(disk.folder, 'data', 'recordings', liveVideoId);
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const tags: string[] = [];
      const reader = new FlvFileReader({ tag: (kind, timestampMs) => tags.push(`${kind} ${timestampMs}`) });
      reader.push(readFileSync(join(folder, name)));
      return tags;
    });
}

test('pauses recordings below the disk reserve while broadcasts continue, and resumes them when space is freed', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const other = await airlock.createLive();
  const mono = await Publisher.open(airlock, other.key);
  // The metric also counts the commands before the media.
  const commands = await metric('airlock_received_packets_total');
  const sending = publisher.send(counted(paced(synthStream({ durationMs: 120_000, ...small }))));
  await airlock.until(
    async () => airlock.get(`/${live.id}`, { fields: 'status' }),
    ({ status }) => status === 'LIVE',
  );
  await airlock.until(
    async () => metric('airlock_spool_bytes'),
    (bytes) => bytes > 50_000,
  );

  await disk.fill(30e6);
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.length > 0,
  );
  expect(rows).toMatchObject([{ error_code: 6505, description: expect.stringContaining('reserve of 20%') }]);
  expect(disk.freeBytes).toBeGreaterThan(20e6);
  expect(await metric('airlock_recordings_paused')).toBe(1);
  expect(await upload()).toMatchObject({
    status: 400,
    body: { error: { error_subcode: 'VIDEO__CREATE_FAILED', is_transient: true } },
  });
  expect((await airlock.request('POST', `/${live.id}`, { title: 'while low' })).status).toBe(200);
  // Errors are detected, pushed and stored while the disk is low.
  await mono.send(counted(paced(synthStream({ durationMs: 1_000, channels: 1, ...small }))));
  await mono.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6304);
  await airlock.until(
    () => airlock.errors(other.id),
    (found) => found.some((row) => row.error_code === 6304),
  );

  disk.empty();
  await airlock.until(
    async () => tagsOf(live.id),
    (segments) => segments.length === 2 && (segments[1]?.length ?? 0) > 30,
  );
  expect(await metric('airlock_recordings_paused')).toBe(0);
  expect((await upload()).status).toBe(200);
  isOver = true;
  await sending;
  expect(publisher.closed).toBe(false);
  await airlock.until(
    async () => metric('airlock_received_packets_total'),
    (packets) => packets - commands >= sent,
  );
  await mono.stop();
  await publisher.stop();
  expect((await airlock.errorsButPace(live.id)).map((row) => row.error_code)).toEqual([6505]);
});

inFull('a store whose disk is full is not ready, says why, and is ready again once there is room', async () => {
  const ready = () => airlock.request('GET', '/readyz', {}, '');
  const rename = async (title: string) =>
    (await airlock.request('POST', `/${airlock.quickstart.live_video_id}`, { title })).status;
  expect(await metric('airlock_store_up{kind="lmdb"}')).toBe(1);
  await disk.fillWhole();
  const { page_id: page } = airlock.quickstart;
  await airlock.until(
    () => airlock.request('POST', `/${page}/live_videos`, { title: 'more', description: 'x'.repeat(10_000) }),
    ({ status }) => status === 503,
  );
  expect(await ready()).toMatchObject({
    status: 503,
    body: { checks: { store: 'the embedded store does not accept writes: its disk is full' } },
  });
  expect(await metric('airlock_store_up{kind="lmdb"}')).toBe(0);

  disk.empty();
  await airlock.until(ready, ({ status }) => status === 200);
  expect(await metric('airlock_store_up{kind="lmdb"}')).toBe(1);
  expect(await rename('after')).toBe(200);
  const states = airlock.log
    .split('\n')
    .filter((line) => /the embedded store (?:does not accept|accepts) writes/.test(line));
  expect(states.map((line) => JSON.parse(line).level)).toEqual(['error', 'info']);
});

const STARTS = ['first', 'later'] as const;
test.each(STARTS)('ends a %s start on a full disk with one message that names the folder', async (which) => {
  expect(await airlock.kill('SIGTERM')).toBe(0);
  const data = join(disk.folder, which === 'first' ? 'new' : 'data');
  mkdirSync(data, { recursive: true });
  await disk.fillWhole();
  const run = spawnSync(process.execPath, [MAIN, 'serve'], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      AIRLOCK_DATA_DIR: data,
      AIRLOCK_CERTS_DIR: join(data, 'certs'),
      AIRLOCK_RTMPS_PORT: '0',
      AIRLOCK_HTTP_PORT: '0',
      AIRLOCK_LOG_LEVEL: 'warn',
    },
    encoding: 'utf8',
  });
  expect(run.status).toBe(3);
  expect(run.stderr).toMatch(/^airlock: the disk of \S+ is full: \d+ bytes are free, a start needs \d+\n$/);
  expect(run.stderr).toContain(data);
});
