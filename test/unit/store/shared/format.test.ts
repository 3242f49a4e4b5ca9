import { LMDB_UPGRADES, readFormat, saveFormat } from '../../../../src/store/lmdb/format.js';
import { LmdbStore } from '../../../../src/store/lmdb/lmdb-store.js';
import { openTables, type Tables } from '../../../../src/store/lmdb/tables.js';
import type { UpgradeStep } from '../../../../src/store/shared/format.js';
import { putStoreOfVersion01, RECORDED_MS } from '../../../support/store-0-1.js';
import { handClock, memoryLog, temporaryFolder } from '../../../support/store-harness.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function open(upgrades?: readonly UpgradeStep<Tables>[], log = memoryLog()): Promise<LmdbStore> {
  const clock = handClock(RECORDED_MS);
  return LmdbStore.open({ dataDir: folder.path, log, clock, ...(upgrades === undefined ? {} : { upgrades }) });
}

async function withTables<Result>(work: (tables: Tables) => Result | Promise<Result>): Promise<Result> {
  const tables = openTables(`${folder.path}/store`);
  try {
    return await work(tables);
  } finally {
    await tables.close();
  }
}

test('gives a new store the format of this version', async () => {
  await (await open()).close();
  expect(await withTables(readFormat)).toBe(String(LMDB_UPGRADES.length));
});

test('upgrades a store of version 0.1 with all its data', async () => {
  putStoreOfVersion01(folder.path);
  expect(await withTables(readFormat)).toBeUndefined();
  const store = await open();
  expect(await store.objects.get('page1')).toMatchObject({ kind: 'page', version: 1, data: { name: 'My Page' } });
  expect(await store.objects.get('gone1')).toBeUndefined();
  expect(await store.objects.resolveAlias('token:abcd')).toBe('page1');
  expect((await store.objects.page({ owner: 'page1', edge: 'live_videos' }, { limit: 9 })).entries).toMatchObject([
    { member: 'live1', score: RECORDED_MS },
  ]);
  expect(await store.objects.counters('video1', ['views'])).toEqual([41]);
  const { records } = await store.records.page('live1', { limit: 9 });
  expect(records.map(({ id, sequence, revision }) => [id, sequence, revision])).toEqual([
    ['live1_1_3', 3, 3],
    ['live1_1_2', 2, 2],
    ['live1_1_1', 1, 4],
  ]);
  expect(await store.records.counts('live1')).toMatchObject({ total: 3, open: 2, lastRevision: 4 });
  expect(await store.volatile.get('judge:live1')).toEqual({ gop: 60 });
  expect((await store.leases.acquire('publish:live1', 'another', 1_000))?.fence).toBe(2);
  await store.close();
  expect(await withTables(readFormat)).toBe(String(LMDB_UPGRADES.length));
});

test('refuses a newer format, names both formats and leaves the store unchanged', async () => {
  await (await open()).close();
  await withTables((tables) => saveFormat(tables, 7));
  const attempt = open();
  await expect(attempt).rejects.toMatchObject({ code: 'STORE_FORMAT', found: 7, known: LMDB_UPGRADES.length });
  await expect(attempt).rejects.toThrow(`has format 7, and this version of Airlock knows formats up to 1`);
  expect(await withTables(readFormat)).toBe('7');
  // The failed start has released its claim on the folder.
  await expect(open()).rejects.toMatchObject({ code: 'STORE_FORMAT' });
});

test('runs upgrade steps once each in order, and a failed step again at the next start', async () => {
  putStoreOfVersion01(folder.path);
  const ran: string[] = [];
  let failing = true;
  const rename = async (tables: Tables) => {
    ran.push('rename');
    const objects = tables.table<{ id: string; data: { name?: string } }>('objects');
    const key = Buffer.from('page1\0');
    const page = objects.get(key);
    if (page === undefined) throw new Error('the Page is not there');
    await tables.write(() => objects.put(key, { ...page, data: { name: 'Renamed' } }));
    if (failing) throw new Error('cut off after the write');
  };
  const steps: UpgradeStep<Tables>[] = [
    ...LMDB_UPGRADES,
    { what: 'renames', run: rename },
    {
      what: 'counts',
      run: async () => {
        ran.push('count');
      },
    },
  ];
  await expect(open(steps)).rejects.toThrow('cut off after the write');
  expect(await withTables(readFormat)).toBe('1');

  failing = false;
  const log = memoryLog();
  const store = await open(steps, log);
  expect(ran).toEqual(['rename', 'rename', 'count']);
  expect(await store.objects.get('page1')).toMatchObject({ data: { name: 'Renamed' } });
  await store.close();
  expect(await withTables(readFormat)).toBe('3');
  expect(log.lines.filter((line) => line.message === 'upgraded the store')).toHaveLength(2);

  await (await open(steps)).close();
  expect(ran).toHaveLength(3);
});
