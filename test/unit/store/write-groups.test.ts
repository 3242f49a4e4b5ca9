import { join } from 'node:path';
import { name } from '../../../src/store/lmdb/keys.js';
import { openTables } from '../../../src/store/lmdb/tables.js';
import { type GroupClock, WriteGroups } from '../../../src/store/lmdb/write-groups.js';
import { temporaryFolder } from '../../support/store-harness.js';

/** `advance` runs the timers that are due by then. */
function handClock(): GroupClock & { advance(ms: number): void } {
  let nowMs = 0;
  const timers = new Map<object, { readonly atMs: number; readonly run: () => void }>();
  return {
    nowMs: () => nowMs,
    after: (ms, run) => {
      const id = {};
      timers.set(id, { atMs: nowMs + ms, run });
      return () => timers.delete(id);
    },
    advance: (ms) => {
      nowMs += ms;
      for (const [id, { atMs, run }] of timers) {
        if (atMs > nowMs) continue;
        timers.delete(id);
        run();
      }
    },
  };
}

function writer() {
  const clock = handClock();
  const groups = new WriteGroups(clock);
  const begun: number[] = [];
  const add = (...writes: number[]) => {
    for (const write of writes) groups.add(() => begun.push(write));
  };
  return { clock, groups, begun, add };
}

test('writes of one turn begin together, in the order of the calls', async () => {
  const { begun, add } = writer();
  add(1, 2, 3);
  expect(begun).toEqual([]);
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3]);
});

test('a caller that writes one after another never waits', async () => {
  const { begun, add } = writer();
  for (const write of [1, 2, 3, 4, 5]) {
    add(write);
    await Promise.resolve();
    expect(begun).toHaveLength(write);
  }
});

test('after a group of many, the next ones gather until 20 ms after it began', async () => {
  const { clock, begun, add } = writer();
  add(1, 2, 3, 4);
  await Promise.resolve();
  clock.advance(5);
  add(5);
  clock.advance(7.5);
  add(6);
  await Promise.resolve();
  clock.advance(7);
  expect(begun).toEqual([1, 2, 3, 4]);
  clock.advance(0.5);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
  // That group was small, so that the next write does not wait.
  add(7);
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('a write after a pause begins at once, and a flush begins what gathers, once', async () => {
  const { clock, groups, begun, add } = writer();
  add(1, 2, 3, 4);
  await Promise.resolve();
  clock.advance(20);
  add(5, 6, 7, 8);
  await Promise.resolve();
  expect(begun).toHaveLength(8);
  add(9);
  groups.flush();
  expect(begun).toHaveLength(9);
  clock.advance(20);
  expect(begun).toHaveLength(9);
});

test('a close stores the writes that gather', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'store');
  const tables = openTables(path);
  const table = tables.table<number>('numbers');
  const write = (number: number) => tables.write(() => table.put(name(`${number}`), number));
  await Promise.all([1, 2, 3, 4].map(write));
  const gathering = Promise.all([5, 6].map(write));
  await tables.close();
  await gathering;
  const again = openTables(path);
  expect([5, 6].map((number) => again.table<number>('numbers').get(name(`${number}`)))).toEqual([5, 6]);
  await again.close();
  folder.remove();
});
