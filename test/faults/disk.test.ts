/** A disk that becomes full, and a data folder that is not writable. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock, MAIN } from '../support/airlock.js';
import { serverProcesses } from '../support/process-tree.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'info' });
});
afterAll(() => airlock.stop());

const START = 'NetStream.Publish.Start';
/** Limits the file size of each process, so that its writes fail as on a full or read-only disk. */
function limitFiles(bytes: number | 'unlimited'): void {
  for (const pid of serverProcesses(airlock.pid)) {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  }
}
const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };

test('continues a broadcast on a full disk, reports the fault, and recovers when space is freed', async () => {
  const live = await airlock.createLive();
  const other = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 9_000, channels: 1, ...small })));
  await airlock.until(
    () => airlock.errors(live.id),
    (rows) => rows.length > 0,
  );
  limitFiles(1);
  await airlock.until(
    async () => airlock.log,
    (log) => log.includes('cannot write a recording'),
  );
  const refused = await Publisher.open(airlock, other.key);
  expect(refused.statuses[0]).toMatchObject({
    code: 'NetStream.Publish.Rejected',
    description: expect.stringMatching(/try again/i),
  });
  refused.cut();
  expect((await airlock.request('GET', `/${live.id}`)).status).toBe(200);
  const write = await airlock.request('POST', `/${live.id}`, { title: 'while full' });
  expect(write).toMatchObject({ status: 503, body: { error: { is_transient: true } } });
  expect(publisher.closed).toBe(false);

  limitFiles('unlimited');
  const again = await airlock.until(
    () => Publisher.open(airlock, other.key),
    (opened) => opened.statuses[0]?.code === START,
  );
  await again.stop();
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6505),
  );
  expect(rows.map((row) => row.error_code).sort()).toEqual([6304, 6505]);
  await sending;
  expect(publisher.closed).toBe(false);
  await publisher.stop();
  expect((await airlock.request('POST', `/${live.id}`, { title: 'after' })).status).toBe(200);
});

test.each([
  // A folder cannot be created below a file.
  join(import.meta.filename, 'data'),
  // Even root cannot create files here.
  ...(process.platform === 'linux' ? ['/proc', '/proc/airlock', '/sys/kernel/airlock/data'] : []),
])('ends startup with one message if the data folder is not writable', (folder) => {
  const run = spawnSync(process.execPath, [MAIN, 'serve'], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      AIRLOCK_DATA_DIR: folder,
      AIRLOCK_RTMPS_PORT: '0',
      AIRLOCK_HTTP_PORT: '0',
      AIRLOCK_LOG_LEVEL: 'warn',
    },
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect(run.status).toBe(2);
  expect(run.stderr).toContain(`AIRLOCK_DATA_DIR is not writable (${folder})`);
  expect(run.stderr).not.toMatch(/^\s+at /m);
});

test('refuses an upload on a full disk without leaving files, and resumes it when space is freed', async () => {
  const { page_id: page, access_token: token, http_url: address } = airlock.quickstart;
  const post = async (fields: Record<string, string | Blob>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, 'a.mp4');
    }
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(new URL(`/${page}/videos`, address), { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const data = join(airlock.folder, 'data');
  const files = () =>
    ['work', 'blobs'].flatMap((name) =>
      readdirSync(join(data, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
    );
  const bytes = new Blob([Buffer.alloc(3_000_000)]);
  const started = (await post({ upload_phase: 'start', file_size: '6000000' })).body;
  const chunk = {
    upload_phase: 'transfer',
    upload_session_id: String(started.upload_session_id),
    start_offset: '0',
    video_file_chunk: bytes,
  };
  const failed = {
    status: 500,
    body: { error: { code: 6001, error_subcode: 'VIDEO__CREATE_FAILED', is_transient: true } },
  };
  limitFiles(1_000_000);
  expect(await post({ source: bytes })).toMatchObject(failed);
  expect(await post(chunk)).toMatchObject(failed);
  expect(files()).toEqual([]);
  limitFiles('unlimited');
  expect(await post(chunk)).toEqual({ status: 200, body: { start_offset: '3000000', end_offset: '6000000' } });
});
