/**
 * The counted cost of a page: the same number of rows and commands in a list of 30,000 entries as of 1,000.
 *
 * @jest-environment node
 */
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import type { RootDatabaseOptionsWithPath } from 'lmdb';
import type { EdgeName, EdgePage, RecordPage, Store, Write } from '../../src/ports/index.js';
import { RECORDS_PER_BROADCAST_MAX } from '../../src/store/shared/record-rules.js';
import { RedisServer } from '../support/redis-server.js';
import { inTurn, memoryLog, raised, realClock, temporaryFolder } from '../support/store-harness.js';

const FEW = 1_000;
const MANY = 30_000;
const PAGE = 25;

interface Subject {
  readonly store: Store;
  /** Counted operations of the store. */
  work(read: () => Promise<unknown>): Promise<object>;
  close(): Promise<void>;
}

const counts = { rows: 0, gets: 0 };

/** The lmdb library with counters for walked rows and looked-up values. */
function counted(opened: object): void {
  const methods: object = Object.getPrototypeOf(opened);
  const getRange: (...given: unknown[]) => Iterable<unknown> = Reflect.get(methods, 'getRange');
  const get: (...given: unknown[]) => unknown = Reflect.get(methods, 'get');
  Reflect.set(methods, 'getRange', function* (this: unknown, ...given: unknown[]) {
    for (const row of getRange.apply(this, given)) {
      counts.rows += 1;
      yield row;
    }
  });
  Reflect.set(methods, 'get', function (this: unknown, ...given: unknown[]) {
    counts.gets += 1;
    return get.apply(this, given);
  });
}

const library = await import('lmdb');
jest.unstable_mockModule('lmdb', () => ({
  ...library,
  open: (options: RootDatabaseOptionsWithPath) => {
    const opened = library.open(options);
    counted(opened);
    return opened;
  },
}));
const { openStore } = await import('../../src/store/open.js');

async function lmdb(): Promise<Subject> {
  const folder = temporaryFolder();
  const store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
  return {
    store,
    work: async (read) => {
      Object.assign(counts, { rows: 0, gets: 0 });
      await read();
      return { ...counts };
    },
    close: async () => {
      await store.close();
      folder.remove();
    },
  };
}

/** Commands by name, including those of scripts; each range has a LIMIT, so that its cost is that of its rows. */
async function redis(): Promise<Subject> {
  const server = await RedisServer.start();
  const store = await openStore({ dataDir: '/nonexistent', redisUrl: server.url, log: memoryLog(), clock: realClock });
  const client = new Redis(server.port);
  return {
    store,
    work: async (read) => {
      await client.config('RESETSTAT');
      await read();
      const stats = await client.info('commandstats');
      const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)]
        .map(([, name = '', count = '']): [string, number] => [name, Number(count)])
        .filter(([name]) => !/^(config|info|ping|lease|set|get|evalsha|eval|publish|client)/.test(name));
      return Object.fromEntries(calls.sort());
    },
    close: async () => {
      client.disconnect();
      await store.close();
      await server.stop();
    },
  };
}

describe.each([
  ['lmdb', lmdb],
  ['redis', redis],
])('%s', (_name, make) => {
  let subject: Subject;
  const few = { owner: '1001', edge: 'videos' };
  const many = { owner: '100001', edge: 'videos' };

  beforeAll(async () => {
    subject = await make();
    await fill(subject.store, few, FEW);
    await fill(subject.store, many, MANY);
    await record(subject.store, 'few', FEW);
    await record(subject.store, 'many', MANY);
  });
  afterAll(() => subject?.close());

  test('reads a page of entries at the same cost at any position and in both directions', async () => {
    const { store } = subject;
    const costs = async (edge: EdgeName, count: number): Promise<object[]> => {
      const cursorAt = async (place: number): Promise<string> => {
        const page = await store.objects.page(edge, { limit: 1, sinceScore: count - 1 - place, ascending: true });
        return page.entries[0]?.cursor ?? '';
      };
      const [middle, end] = [await cursorAt(count / 2), await cursorAt(count - PAGE - 5)];
      const pages: EdgePage[] = [];
      const queries = [
        { limit: PAGE },
        { limit: PAGE, after: middle },
        { limit: PAGE, after: end },
        { limit: PAGE, before: middle },
        { limit: PAGE, before: end },
        { limit: PAGE, ascending: true },
        { limit: PAGE, sinceScore: count / 2, untilScore: count / 2 + 100 },
      ];
      const work: object[] = [];
      await inTurn(queries, async (query) => {
        work.push(await subject.work(async () => pages.push(await store.objects.page(edge, query))));
      });
      expect(pages.map((page) => page.entries.length)).toEqual(queries.map(() => PAGE));
      expect(work.filter((each) => total(each) < PAGE)).toEqual([]);
      work.push(await subject.work(() => store.objects.edgeSize(edge)));
      work.push(await subject.work(() => store.objects.edgeEntry(edge, `m${count - 7}`)));
      return work;
    };
    expect(await costs(many, MANY)).toEqual(await costs(few, FEW));
    expect(await store.objects.edgeSize(many)).toBe(MANY);
  });

  test('reads a page of error records at the same cost, filtered or not', async () => {
    const { store } = subject;
    const costs = async (id: string, kept: number): Promise<object[]> => {
      const pages: RecordPage[] = [];
      const queries = [
        { limit: PAGE },
        { limit: PAGE, afterSequence: kept / 2 },
        { limit: PAGE, beforeSequence: kept / 2 },
        { limit: PAGE, afterSequence: PAGE + 5 },
        { limit: PAGE, afterRevision: kept / 2 },
        { limit: PAGE, severity: 'warning', open: true },
        { limit: PAGE, severity: 'warning', afterSequence: kept / 2 },
        { limit: PAGE, sinceMs: 1_700_000_000_000 + kept / 2, afterSequence: kept - 100 },
        { limit: PAGE, untilMs: 1_700_000_000_000 + kept / 2 },
      ];
      const work: object[] = [];
      await inTurn(queries, async (query) => {
        work.push(await subject.work(async () => pages.push(await store.records.page(id, query))));
      });
      expect(pages.map((page) => page.records.length)).toEqual(queries.map(() => PAGE));
      expect(work.filter((each) => total(each) < PAGE)).toEqual([]);
      work.push(await subject.work(() => store.records.counts(id)));
      work.push(await subject.work(() => store.records.get(id, `${id}_1_500`)));
      return work;
    };
    expect(await store.records.counts('many')).toMatchObject({
      total: RECORDS_PER_BROADCAST_MAX,
      uncounted: MANY - RECORDS_PER_BROADCAST_MAX,
    });
    expect(await costs('many', RECORDS_PER_BROADCAST_MAX)).toEqual(await costs('few', FEW));
  });
});

const total = (work: object): number => Object.values(work).reduce((sum: number, each: number) => sum + each, 0);

const BATCH = 1_000;

async function fill(store: Store, edge: EdgeName, count: number): Promise<void> {
  const starts = Array.from({ length: count / BATCH }, (_, index) => index * BATCH);
  await inTurn(starts, (start) =>
    store.objects.commit(
      Array.from({ length: BATCH }, (_, n): Write => {
        return { op: 'edgeAdd', ...edge, member: `m${start + n}`, score: start + n };
      }),
    ),
  );
}

/** Every other record is a warning. */
async function record(store: Store, broadcastId: string, count: number): Promise<void> {
  const starts = Array.from({ length: count / BATCH }, (_, index) => index * BATCH);
  await inTurn(starts, (start) =>
    store.records.append(
      Array.from({ length: BATCH }, (_, n) =>
        raised(broadcastId, 1, start + n + 1, { severity: n % 2 === 0 ? 'warning' : 'error' }),
      ),
    ),
  );
}
