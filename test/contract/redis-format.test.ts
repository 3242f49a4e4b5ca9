/** The format of the store in Redis: set at the first open, upgraded by one of several starts, refused when newer. */

import { REDIS_UPGRADES, type RedisAccess } from '../../src/store/redis/format.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { UpgradeStep } from '../../src/store/shared/format.js';
import { RedisServer } from '../support/redis-server.js';
import { memoryLog, realClock } from '../support/store-harness.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await command('FLUSHALL');
});

const open = (upgrades?: readonly UpgradeStep<RedisAccess>[]) =>
  RedisStore.open({
    url: server.url,
    log: memoryLog(),
    clock: realClock,
    ...(upgrades === undefined ? {} : { upgrades }),
  });

async function command(name: string, ...args: string[]): Promise<unknown> {
  const client = server.client();
  try {
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

test('sets the format at the first open, also of a store of version 0.1 with its data', async () => {
  await command('SET', 'airlock:{page1}', '1|page|5|5|{"name":"My Page"}');
  const store = await open();
  expect(await command('GET', 'airlock:{format}:format')).toBe(String(REDIS_UPGRADES.length));
  expect(await store.objects.get('page1')).toMatchObject({ version: 1, data: { name: 'My Page' } });
  await store.close();
});

test('refuses a newer format and names both formats', async () => {
  await command('SET', 'airlock:{format}:format', '7');
  const attempt = open();
  await expect(attempt).rejects.toMatchObject({ code: 'STORE_FORMAT', found: 7, known: REDIS_UPGRADES.length });
  await expect(attempt).rejects.toThrow(/^Redis at redis:\/\/127\.0\.0\.1:\d+ has format 7, /);
  expect(await command('GET', 'airlock:{format}:format')).toBe('7');
});

test('upgrades in one of several starts, and runs a failed step again without a stale lock', async () => {
  const ran: string[] = [];
  const step = (what: string, run: () => Promise<void>): UpgradeStep<RedisAccess> => ({
    what,
    run: async () => {
      ran.push(what);
      await run();
    },
  });
  const failing = [...REDIS_UPGRADES, step('fails', () => Promise.reject(new Error('cut off')))];
  await expect(open(failing)).rejects.toThrow('cut off');
  expect(await command('GET', 'airlock:{format}:format')).toBe('1');

  const steps = [...REDIS_UPGRADES, step('second', async () => undefined), step('third', async () => undefined)];
  const stores = await Promise.all([open(steps), open(steps), open(steps)]);
  expect(ran).toEqual(['fails', 'second', 'third']);
  expect(await command('GET', 'airlock:{format}:format')).toBe('3');
  await Promise.all(stores.map((store) => store.close()));
});
