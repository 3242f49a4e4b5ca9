/** A backup of a server in mid-broadcast, restored elsewhere: what the server said before, the restored one says too. */

import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { saveFormat } from '../../src/store/lmdb/format.js';
import { openTables } from '../../src/store/lmdb/tables.js';
import { type Airlock, type ErrorRow, MAIN, serversOfEachTest } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const server = serversOfEachTest();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-backup-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (dataDir: string, env: Record<string, string>, ...args: string[]) =>
  promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env, AIRLOCK_DATA_DIR: dataDir },
  });

/** What does not change when a broadcast goes on or is interrupted. */
const told = (rows: readonly ErrorRow[]) =>
  rows.map(({ id, sequence, error_code, error_type, timestamp }) => ({
    id,
    sequence,
    error_code,
    error_type,
    timestamp,
  }));

interface Told {
  readonly live: { readonly id: string; readonly key: string };
  readonly rows: readonly ErrorRow[];
}

/** Takes the backup while a faulty broadcast runs, which goes on behind it; then the server is killed. */
async function backUpInMidBroadcast(airlock: Airlock, env: Record<string, string>, file: string): Promise<Told> {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 120_000, keyFrameIntervalMs: 6000 })));
  const pushed = await publisher.status('NetStream.Publish.Violation');
  expect(pushed.fields).toMatchObject({ error_code: 6208 });
  const rows = await airlock.errors(live.id);
  expect(rows).toHaveLength(1);

  const { stdout } = await run(join(airlock.folder, 'data'), env, 'backup', file, '--with-keys');
  expect(stdout).toMatch(/[1-9]\d* objects, .*[1-9]\d* error records/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(publisher.closed).toBe(false);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status,ingest_streams{stream_health}' }),
    (body) => body.status === 'LIVE' && body.ingest_streams[0].stream_health.video_framerate > 29,
  );
  const refused = run(join(airlock.folder, 'data'), env, 'restore', file, '--force');
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('a server runs on') });

  await airlock.kill('SIGKILL');
  await sending;
  return { live, rows };
}

/** The restored server answers the same, and the encoder's key is good for it. */
async function expectRestored(from: Airlock, to: string, env: Record<string, string>, { live, rows }: Told) {
  copyFileSync(join(from.folder, 'data', 'quickstart.json'), join(to, 'data', 'quickstart.json'));
  const restored = await server({ ...env, AIRLOCK_RECORD: 'off' }, to);
  // Tokens are there too: the answer needs the one of before.
  expect(restored.quickstart.access_token).toBe(from.quickstart.access_token);
  // The restored server may have noted already that the broadcast was interrupted.
  expect(told(await restored.errors(live.id)).slice(-rows.length)).toEqual(told(rows));
  const again = await Publisher.open(restored, live.key);
  expect(again.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await again.send(synthStream({ durationMs: 4_000 }));
  await again.stop();
  // Numbers of later records follow on those of before.
  const later = await restored.errors(live.id);
  expect(told(later.slice(-rows.length))).toEqual(told(rows));
  expect(later.map((row) => row.sequence)).toEqual(later.map((_row, at) => later.length - at));
}

test('restores errors, tokens and stream keys from a backup made during a broadcast', async () => {
  const airlock = await server({ AIRLOCK_RECORD: 'off' });
  const file = join(folder, 'airlock.backup');
  const state = await backUpInMidBroadcast(airlock, {}, file);
  const { stdout } = await run(join(folder, 'data'), {}, 'restore', file);
  expect(stdout).toMatch(/^Restored [1-9]\d* objects/);
  await expectRestored(airlock, folder, {}, state);
});

inFull('restores a backup of one Redis into another', async () => {
  const [redis, other] = [await RedisServer.start(), await RedisServer.start()];
  try {
    const airlock = await server({ AIRLOCK_RECORD: 'off', REDIS_URL: redis.url });
    const file = join(folder, 'airlock.backup');
    const state = await backUpInMidBroadcast(airlock, { REDIS_URL: redis.url }, file);
    await run(join(folder, 'data'), { REDIS_URL: other.url }, 'restore', file);
    await expectRestored(airlock, folder, { REDIS_URL: other.url }, state);
  } finally {
    await Promise.all([redis.stop(), other.stop()]);
  }
});

test('refuses to start on a store of a newer format, with one message and exit code 3', async () => {
  const tables = openTables(join(folder, 'data', 'store'));
  await saveFormat(tables, 7);
  await tables.close();
  const start = run(join(folder, 'data'), { AIRLOCK_RTMPS_PORT: '0', AIRLOCK_HTTP_PORT: '0' }, 'serve');
  await expect(start).rejects.toMatchObject({
    code: 3,
    stderr: expect.stringContaining('has format 7, and this version'),
  });
});
