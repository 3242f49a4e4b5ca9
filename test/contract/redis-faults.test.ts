/** A real Redis that is killed, frozen and full, under a journal and with a second process. */
import { type Store, StoreUnavailableError } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { RedisServer } from '../support/redis-server.js';
import { memoryLog, raised, realClock, temporaryFolder, until } from '../support/store-harness.js';
import { faultsContract, heardJournal, leave } from './faults.contract.js';
import { put } from './objects.contract.js';
import { freshId } from './store.contract.js';

let server: RedisServer;
let folder: ReturnType<typeof temporaryFolder>;
const open: Store[] = [];

const connect = async (): Promise<Store> => {
  const store = await openStore({ dataDir: folder.path, redisUrl: server.url, log: memoryLog(), clock: realClock });
  open.push(store);
  return store;
};
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

beforeEach(async () => {
  folder = temporaryFolder();
  server = await RedisServer.start({ durable: true });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
  await server.stop();
  folder.remove();
});

test('stores every record once and in order when Redis is restarted during appends', async () => {
  const store = await connect();
  const pushed: number[] = [];
  const { stored, journal } = await heardJournal(store, folder.path);
  const ids = [freshId(), freshId()];
  let number = 0;
  const record = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      number += 1;
      for (const id of ids)
        void journal
          .append([raised(id, 1, number)])
          .then((written) => pushed.push(...written.map((each) => each.number)));
      if (n % 5 === 4) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  for (let round = 0; round < 2; round += 1) {
    const before = stored.length;
    await record(150);
    await until(() => stored.length > before);
    await record(150);
    await server.kill();
    await record(100);
    await until(() => pushed.length === number * ids.length);
    expect(journal.pending).toBeGreaterThan(0);
    await server.restart();
    await record(20);
  }
  expect(await journal.flush(20_000)).toBe(0);
  for (const id of ids) {
    const records = [];
    for (let page = await store.records.page(id, { limit: 500 }); ; ) {
      records.push(...page.records);
      if (!page.hasNext) break;
      page = await store.records.page(id, { limit: 500, afterSequence: records.at(-1)!.sequence });
    }
    expect(records.reverse().map((each) => [each.id, each.sequence])).toEqual(
      upTo(number).map((n) => [`${id}_1_${n}`, n]),
    );
  }
  await journal.close();
});

faultsContract('Redis', {
  losesLeases: false,
  isReadDirectly: false,
  stores: async () => [await connect(), await connect()],
  leave: (how) => leave(server, how),
});

test('refuses writes as unavailable while Redis is full and serves reads', async () => {
  const store = await connect();
  const id = freshId();
  await store.objects.commit([put(id, 1)]);
  const client = server.client();
  await client.config('SET', 'maxmemory', '1');
  await expect(store.objects.commit([put(id, 2)])).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(store.records.append([raised(id, 1, 1)])).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(await store.objects.get(id)).toMatchObject({ version: 1 });
  await client.config('SET', 'maxmemory', '0');
  expect(await store.records.append([raised(id, 1, 1)])).toHaveLength(1);
  client.disconnect();
});

test('names the address but not the password when Redis is unreachable at the start', async () => {
  await server.kill();
  const url = `redis://user:secret@127.0.0.1:${server.port}`;
  const attempt = openStore({ dataDir: folder.path, redisUrl: url, log: memoryLog(), clock: realClock });
  await expect(attempt).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(attempt).rejects.toThrow(
    new RegExp(`redis://127\\.0\\.0\\.1:${server.port} cannot be used: .*ECONNREFUSED`),
  );
  await expect(attempt).rejects.not.toThrow('secret');
});

test('fails at once with a wrong password', async () => {
  const client = server.client();
  await client.config('SET', 'requirepass', 'right');
  client.disconnect();
  const at = (password: string) =>
    openStore({
      dataDir: folder.path,
      redisUrl: `redis://:${password}@127.0.0.1:${server.port}`,
      log: memoryLog(),
      clock: realClock,
    });
  await expect(at('wrong')).rejects.toThrow(/WRONGPASS/);
  open.push(await at('right'));
});

test('resends scripts that the server no longer has', async () => {
  const store = await connect();
  const id = freshId();
  await store.objects.commit([put(id, 1, 0)]);
  const client = server.client();
  await client.script('FLUSH');
  await store.objects.commit([put(id, 2, 1)]);
  expect(await store.objects.get(id)).toMatchObject({ version: 2 });
  client.disconnect();
});

test('delivers events to other processes in order, also after an outage', async () => {
  const [one, two] = [await connect(), await connect()];
  const topic = freshId();
  const seen: unknown[] = [];
  two.bus.subscribe(topic, (message) => seen.push(message));
  // A subscription reaches the server asynchronously.
  const reached = async (text: string) => {
    await until(async () => {
      one.bus.publish(topic, text);
      await one.objects.get('0').catch(() => undefined);
      return seen.includes(text);
    });
  };
  await reached('first');
  seen.length = 0;
  for (const n of upTo(100)) one.bus.publish(topic, n);
  await until(() => seen.includes(100));
  expect(seen.filter((message) => typeof message === 'number')).toEqual(upTo(100));
  await server.kill();
  const own: unknown[] = [];
  one.bus.subscribe(topic, (message) => own.push(message));
  one.bus.publish(topic, 'alone');
  await until(() => own.includes('alone'));
  await server.restart();
  await reached('again');
});

test('keeps records for ninety days after the last one, or as long as keepUntil requires', async () => {
  const store = await connect();
  const [plain, longer] = [freshId(), freshId()];
  const days = 24 * 3_600_000;
  await store.records.append([raised(plain, 1, 1), raised(longer, 1, 1)]);
  await store.records.keepUntil(longer, Date.now() + 400 * days);
  await store.records.keepUntil(longer, Date.now() + 100 * days);
  await store.records.append([raised(longer, 1, 2, { severity: 'warning' })]);
  const client = server.client();
  for (const [id, least, most] of [
    [plain, 89.9, 90],
    [longer, 399.9, 400],
  ] as const) {
    const keys = await client.keys(`airlock:{${id}}:r:*`);
    expect(keys).toHaveLength(7);
    for (const key of keys) {
      const left = (await client.pttl(key)) / days;
      expect(left).toBeGreaterThan(least);
      expect(left).toBeLessThanOrEqual(most);
    }
  }
  client.disconnect();
});
