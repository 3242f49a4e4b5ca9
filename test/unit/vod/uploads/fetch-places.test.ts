import { ServiceError } from '../../../../src/spec/service-errors.js';
import { FetchPlaces } from '../../../../src/vod/uploads/fetch-places.js';

const LIMITS = { parallel: 3, parallelPerKey: 2, waiting: 4, waitingPerKey: 3, waitMs: 60_000 };

/** Work that ends under control of the test. */
function works(places: FetchPlaces) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    running,
    start(name: string, ...keys: string[]): Promise<void> {
      return places.run(keys, async () => {
        running.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        running.splice(running.indexOf(name), 1);
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)!();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('one client or server cannot take the slots of others', async () => {
  const { running, start, end } = works(new FetchPlaces(LIMITS));
  const all = [
    start('a1', 'client a', 'server x'),
    start('a2', 'client a', 'server x'),
    start('a3', 'client a', 'server y'),
    start('b1', 'client b', 'server x'),
    start('b2', 'client b', 'server y'),
  ];
  expect(running).toEqual(['a1', 'a2', 'b2']);
  // All slots are taken; a4 is within the limits of its keys.
  all.push(start('c1', 'client c', 'server z'));
  expect(running).toEqual(['a1', 'a2', 'b2']);
  await end('b2');
  expect(running).toEqual(['a1', 'a2', 'c1']);
  await end('a1');
  expect(running).toEqual(['a2', 'c1', 'a3']);
  await end('c1');
  expect(running).toEqual(['a2', 'a3', 'b1']);
  for (const name of ['a2', 'a3', 'b1']) await end(name);
  await Promise.all(all);
});

test('bounds the waiters in total and per key; a failure frees its slot', async () => {
  const places = new FetchPlaces({ ...LIMITS, parallel: 1, waiting: 3, waitingPerKey: 2 });
  const { start, end, running } = works(places);
  const all = [start('a1', 'a'), start('a2', 'a'), start('a3', 'a')];
  await expect(start('a4', 'a')).rejects.toBeInstanceOf(ServiceError);
  all.push(start('b1', 'b'));
  await expect(start('c1', 'c')).rejects.toMatchObject({ shape: { isTransient: true } });
  for (const name of ['a1', 'a2', 'a3', 'b1']) await end(name);
  await Promise.all(all);
  await expect(places.run(['a'], () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
  const last = start('a5', 'a');
  expect(running).toEqual(['a5']);
  await end('a5');
  await last;
});

test('a waiter times out, and then takes no slot', async () => {
  const { start, end, running } = works(new FetchPlaces({ ...LIMITS, parallel: 1, waitMs: 1 }));
  const first = start('a1', 'a');
  await expect(start('a2', 'a')).rejects.toBeInstanceOf(ServiceError);
  await end('a1');
  await first;
  expect(running).toEqual([]);
  const next = start('a3', 'a');
  expect(running).toEqual(['a3']);
  await end('a3');
  await next;
});
