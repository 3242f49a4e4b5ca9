/** ffmpeg and ffprobe are missing, fail or hang: broadcasts continue, segments are kept, and the video reports the error. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Airlock, serversOfEachTest } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { inFull } from '../support/in-full.js';

const server = serversOfEachTest();

const NOWHERE = '/nonexistent/bin/tool';

/** Runs a broadcast of some seconds, ended by its owner; resolves with its id. */
async function broadcast(airlock: Airlock): Promise<string> {
  const bystander = await Bystander.start(airlock);
  await expectUntouched(bystander);
  await airlock.post(`/${bystander.liveVideoId}`, { end_live_video: 'true' });
  return bystander.liveVideoId;
}

const segmentsOf = (airlock: Airlock, id: string) => readdirSync(join(airlock.folder, 'data', 'recordings', id));
const stateOf = (airlock: Airlock, id: string) => airlock.get(`/${id}`, { fields: 'status,video{status,source}' });

inFull(
  'without ffmpeg and ffprobe, keeps the segments of a broadcast and converts them once the tools are back',
  async () => {
    const airlock = await server({ FFMPEG_PATH: NOWHERE, FFPROBE_PATH: NOWHERE, AIRLOCK_LOG_LEVEL: 'warn' });
    const id = await broadcast(airlock);
    await airlock.until(
      async () => airlock.log,
      (log) => log.includes('media tool cannot be run; processing delayed'),
    );
    expect(segmentsOf(airlock, id).length).toBeGreaterThan(0);
    const waiting = await airlock.until(
      () => stateOf(airlock, id),
      (body) => body.video.status.video_status === 'error',
    );
    expect(waiting).toMatchObject({
      status: 'PROCESSING',
      video: { status: { processing_phase: { status: 'error', errors: [{ code: 2 }] } } },
    });
    expect(waiting.video.source).toBeUndefined();

    const upload = await airlock.request('GET', '/readyz');
    expect(upload.status).toBe(200);
    await airlock.kill('SIGTERM');
    const mended = await server({ AIRLOCK_LOG_LEVEL: 'warn' }, airlock.folder);
    const done = await mended.until(
      () => stateOf(mended, id),
      (body) => body.status === 'VOD',
    );
    expect(done.video).toMatchObject({ status: { video_status: 'ready' }, source: expect.any(String) });
  },
);

test('tools that hang or fail block neither the server nor its shutdown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-tools-'));
  const tool = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  mkdirSync(join(folder, 'empty'));
  const ffprobe = tool('ffprobe', 'case "$1" in -version) exit 0;; esac\nexec sleep 600');
  const airlock = await server({
    FFMPEG_PATH: tool('ffmpeg', 'exit 3'),
    FFPROBE_PATH: ffprobe,
    AIRLOCK_LOG_LEVEL: 'warn',
  });
  const id = await broadcast(airlock);
  await airlock.until(
    async () => airlock.log,
    (log) => log.includes('media tool cannot be run; processing delayed'),
  );
  expect(segmentsOf(airlock, id).length).toBeGreaterThan(0);
  expect(await airlock.kill('SIGTERM')).toBe(0);
});

test('SIGTERM stops the server in time although ffmpeg ignores the signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-tools-'));
  const path = join(folder, 'ffmpeg');
  const started = join(folder, 'started');
  const busy = "trap '' TERM\n(while echo 'frame=1 time=00:00:01.00' >&2; do sleep 0.1; done) &\nwait";
  writeFileSync(path, `#!/bin/sh\ncase "$1" in -version) exit 0;; esac\ntouch ${started}\n${busy}\n`);
  chmodSync(path, 0o755);
  // Within the sandbox, the script could not report its start.
  const airlock = await server({ FFMPEG_PATH: path, AIRLOCK_SANDBOX: 'off', AIRLOCK_LOG_LEVEL: 'warn' });
  await broadcast(airlock);
  await airlock.until(
    async () => existsSync(started),
    (isThere) => isThere,
  );
  expect(await airlock.kill('SIGTERM')).toBe(0);
});
