/** Backup and restore between both stores, through the command line. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Store } from '../../src/ports/index.js';
import { encodeFrame, MAGIC } from '../../src/store/journal/frames.js';
import { segmentFileName } from '../../src/store/journal/segment-name.js';
import { openStore } from '../../src/store/open.js';
import { runCli } from '../support/cli.js';
import { RedisServer } from '../support/redis-server.js';
import { putStoreOfVersion01, RECORDED_MS } from '../support/store-0-1.js';
import { memoryLog, raised, realClock, temporaryFolder, until } from '../support/store-harness.js';

let redis: RedisServer;
let folder: ReturnType<typeof temporaryFolder>;
const at = (...names: string[]) => join(folder.path, ...names);

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.stop());
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  folder.remove();
  await redisCommand('FLUSHALL');
});

async function redisCommand(name: string, ...args: string[]): Promise<unknown> {
  const client = redis.client();
  try {
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

/** A subscription reaches Redis asynchronously. */
async function untilHeard(place: Place): Promise<void> {
  if (place.REDIS_URL === undefined) return;
  await until(async () => ((await redisCommand('PUBSUB', 'CHANNELS')) as string[]).length > 0);
}

type Place = Record<string, string>;
const embedded = (name: string): Place => ({ AIRLOCK_DATA_DIR: at(name) });
const onRedis = (name: string, prefix: string): Place => ({
  ...embedded(name),
  REDIS_URL: `${redis.url}?prefix=${prefix}`,
});
const open = (place: Place) =>
  openStore({
    dataDir: place.AIRLOCK_DATA_DIR ?? '',
    redisUrl: place.REDIS_URL,
    log: memoryLog(),
    clock: realClock,
  });

async function cli(place: Place, ...args: string[]) {
  const done = await runCli(args, { env: place, cwd: folder.path });
  return { ...done, all: done.stdout + done.stderr };
}

/** A store of 0.1 with unexpired logs, an edge with unusual names, and two entries that are only in the journal. */
async function fill(place: Place): Promise<void> {
  const store = await open(place);
  await store.objects.commit([
    { op: 'put', object: { id: 'p{1}%', kind: 'page', createdMs: 1, updatedMs: 2, data: { name: 'Ä {x}' } } },
    { op: 'edgeAdd', owner: 'p{1}%', edge: 'roles', member: 'u|1', score: 7, value: { role: 'ADMIN' } },
    { op: 'count', owner: 'p{1}%', counter: 'views', by: 5 },
  ]);
  const lease = await store.leases.acquire('publish:live9', 'holder', 10_000);
  const fence = lease?.fence ?? 0;
  const first = raised('live9', fence, 1);
  const entries = [first, raised('live9', fence, 2, { severity: 'warning' })];
  await store.records.append(entries);
  const { body } = first.change;
  const cleared = { change: 'cleared', body: { ...body, cleared_time_ms: 1_700_000_009_000, count: 4 } } as const;
  await store.records.append([{ ...first, number: 3, change: cleared }]);
  await store.records.append([raised('live8', 1, 1)]);
  await store.records.delete('live8');
  await store.volatile.set('judge:live9', { gop: 60 }, 3_600_000);
  await store.volatile.setIn('setups:p{1}', '9', { fps: 30 }, { max: 10, ttlMs: 3_600_000 });
  await store.close();
  mkdirSync(join(place.AIRLOCK_DATA_DIR ?? '', 'journal'), { recursive: true });
  const frames = [...entries, raised('live9', fence, 4)].map((entry, index) =>
    encodeFrame({ ordinal: index + 1, entry }),
  );
  const path = join(place.AIRLOCK_DATA_DIR ?? '', 'journal', segmentFileName('0123456789ab', 1));
  writeFileSync(path, Buffer.concat([MAGIC, ...frames, Buffer.from([0, 0, 1])]));
  mkdirSync(join(place.AIRLOCK_DATA_DIR ?? '', 'blobs', 'videos', '7'), { recursive: true });
  writeFileSync(join(place.AIRLOCK_DATA_DIR ?? '', 'blobs', 'videos', '7', 'source.mp4'), 'bytes');
}

async function read(store: Store): Promise<unknown> {
  const query = { limit: 50 };
  return {
    page: await store.objects.get('p{1}%'),
    roles: (await store.objects.page({ owner: 'p{1}%', edge: 'roles' }, query)).entries,
    size: await store.objects.edgeSize({ owner: 'p{1}%', edge: 'roles' }),
    counters: await store.objects.counters('p{1}%', ['views']),
    records: await store.records.page('live9', query),
    open: (await store.records.page('live9', { ...query, open: true })).records,
    warnings: (await store.records.page('live9', { ...query, severity: 'warning' })).records,
    changed: (await store.records.page('live9', { ...query, afterRevision: 2 })).records,
    since: (await store.records.page('live9', { ...query, sinceMs: RECORDED_MS + 2 })).records,
    counts: await store.records.counts('live9'),
    deleted: await store.records.append([raised('live8', 1, 9)]),
    volatile: await store.volatile.get('judge:live9'),
    grouped: await store.volatile.getIn('setups:p{1}', '9'),
  };
}

describe.each([
  ['embedded', 'embedded', () => embedded('from'), () => embedded('to')],
  ['embedded', 'Redis', () => embedded('from'), () => onRedis('to', 'two')],
  ['Redis', 'embedded', () => onRedis('from', 'one'), () => embedded('to')],
  ['Redis', 'Redis', () => onRedis('from', 'one'), () => onRedis('to', 'two')],
])('%s to %s', (_from, _to, source, target) => {
  test('restores all rows and the entries of the journal', async () => {
    await fill(source());
    const made = await cli(source(), 'backup', 'backup.gz', '--with-keys');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(at('backup.gz')).mode & 0o777).toBe(0o600);
    const restored = await cli(target(), 'restore', 'backup.gz');
    expect(restored.code).toBe(0);
    expect(restored.stderr).toContain('1 video files');
    expect(restored.stderr).toContain('videos/7/source.mp4');
    expect(readFileSync(at('to', 'key-secret'))).toEqual(readFileSync(at('from', 'key-secret')));

    const original = await open(source());
    const [former] = (await original.records.page('live9', { limit: 1 })).records;
    const fence = Number(former?.id.split('_')[1]);
    await original.records.append([raised('live9', fence, 4)]);
    const copy = await open(target());
    expect(await read(copy)).toEqual(await read(original));
    expect(await copy.records.counts('live9')).toMatchObject({ total: 3, open: 2, lastRevision: 4 });
    // Fences keep increasing, and versions are unchanged.
    expect((await copy.leases.acquire('publish:live9', 'other', 1_000))?.fence).toBeGreaterThan(fence);
    await copy.objects.commit([
      { op: 'put', object: { id: 'p{1}%', kind: 'page', createdMs: 1, updatedMs: 3, data: {} }, expect: 1 },
    ]);
    await Promise.all([original.close(), copy.close()]);
  });

  test('refuses to restore over existing data without --force', async () => {
    await fill(source());
    expect((await cli(source(), 'backup', 'backup.gz')).code).toBe(0);
    const other = await open(target());
    await other.objects.commit([
      { op: 'put', object: { id: 'old', kind: 'page', createdMs: 1, updatedMs: 1, data: {} } },
    ]);
    const stopListening = other.bus.subscribe('control', () => undefined);
    await untilHeard(target());
    const inUse = await cli(target(), 'restore', 'backup.gz', '--force');
    expect(inUse.stderr).toMatch(/is in use by process|a server uses Redis/);
    stopListening();
    await other.close();
    const refused = await cli(target(), 'restore', 'backup.gz');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/already holds a store: restore into an empty/);
    const forced = await cli(target(), 'restore', 'backup.gz', '--force');
    expect(forced.code).toBe(0);
    expect(forced.stdout).toContain('stream keys change unless');
    const store = await open(target());
    expect(await store.objects.get('old')).toBeUndefined();
    expect(await store.objects.get('p{1}%')).toMatchObject({ version: 1 });
    await store.close();
  });
});

test('refuses a truncated, changed, newer or foreign file before anything is written', async () => {
  await fill(embedded('from'));
  expect((await cli(embedded('from'), 'backup', 'backup.gz')).code).toBe(0);
  const bytes = readFileSync(at('backup.gz'));
  const text = gunzipSync(bytes).toString();
  const files: Record<string, Buffer> = {
    'is truncated': bytes.subarray(0, bytes.length / 2),
    'its end is missing': gzipSync(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)),
    'its checksum does not match': gzipSync(text.replace('"score":7', '"score":8')),
    'has backup format 9': gzipSync(text.replace('"airlock_backup":1', '"airlock_backup":9')),
    'is not an Airlock backup': Buffer.from('no backup'),
  };
  for (const [message, content] of Object.entries(files)) {
    writeFileSync(at('bad.gz'), content);
    const refused = await cli(embedded('to'), 'restore', 'bad.gz');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(message);
    expect(existsSync(at('to'))).toBe(false);
  }
});

test('does not overwrite a file without --force and leaves no partial file', async () => {
  putStoreOfVersion01(at('from'));
  writeFileSync(at('backup.gz'), 'precious');
  const refused = await cli(embedded('from'), 'backup', 'backup.gz');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('already exists');
  expect(readFileSync(at('backup.gz'), 'utf8')).toBe('precious');
  expect((await cli(embedded('from'), 'backup', 'backup.gz', '--force')).code).toBe(0);
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect((await cli(embedded('nowhere'), 'backup', 'none.gz')).stderr).toContain('no store in');
  expect(existsSync(at('none.gz'))).toBe(false);
  const nowhere = await cli(embedded('from'), 'backup', 'none/backup.gz');
  expect(nowhere).toMatchObject({ code: 2 });
  expect(nowhere.stderr).toMatch(/none\/backup\.gz: no such folder$/m);
});

const KEY = '8f3a61c05be94d27a1d60f7c39e2b584d7106cae2f95b3481ce07d94a65b2f13';
const OTHER_KEY = '2be94c7f10d5836ae97b40c21f6da85379e3b1064cd8f25ab70e91d34f6c8a02';

test('omits the server key without --with-keys, and backs up a store of 0.1 without an upgrade', async () => {
  putStoreOfVersion01(at('from'));
  writeFileSync(at('from', 'key-secret'), `${KEY}\n`, { mode: 0o600 });
  expect((await cli(embedded('from'), 'backup', 'plain.gz')).stdout).toContain('The server key is not included');
  expect(gunzipSync(readFileSync(at('plain.gz'))).toString()).not.toContain(KEY);
  expect((await cli(embedded('from'), 'backup', 'keys.gz', '--with-keys')).code).toBe(0);
  mkdirSync(at('to'));
  writeFileSync(at('to', 'key-secret'), `${OTHER_KEY}\n`, { mode: 0o600 });
  const refused = await cli(embedded('to'), 'restore', 'keys.gz');
  expect(refused.stderr).toContain('contains a different server key');
  copyFileSync(at('from', 'key-secret'), at('to', 'key-secret'));
  expect((await cli(embedded('to'), 'restore', 'keys.gz')).code).toBe(0);
  const store = await open(embedded('to'));
  expect(await store.objects.get('live1')).toMatchObject({ kind: 'live_video' });
  await store.close();
});

test('prevents servers from opening a partial restore in Redis until it is run again', async () => {
  await redisCommand('SET', 'two:{format}:format', 'restoring');
  const attempt = open(onRedis('to', 'two'));
  await expect(attempt).rejects.toMatchObject({ code: 'STORE_FORMAT' });
  await expect(attempt).rejects.toThrow('holds an unfinished restore');
});
