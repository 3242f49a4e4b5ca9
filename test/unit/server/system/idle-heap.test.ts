import { spawnSync } from 'node:child_process';
import { IdleHeap } from '../../../../src/server/system/idle-heap.js';
import { V8_FLAGS } from '../../../../src/server/system/v8-flags.js';

const MB = 2 ** 20;

/** The calls at which it collects; a collection leaves 10 MB. */
function collectionsOf(shares: readonly number[], grownBytes = 16 * MB): number[] {
  const at: number[] = [];
  let call = 0;
  let bytes = 10 * MB;
  const heap = new IdleHeap({
    busyShare: () => shares[call] as number,
    bytes: () => bytes,
    collect() {
      at.push(call);
      bytes = 10 * MB;
    },
  });
  for (; call < shares.length; call++) {
    if ((shares[call] as number) >= 0.05) bytes += grownBytes;
    heap.check();
  }
  return at;
}

test('collects once after the start and after each burst of work', () => {
  expect(collectionsOf([0, 0, 0, 0, 0, 0])).toEqual([2]);
  expect(collectionsOf([0.9, 0.01, 0.01, 0.01, 0.01, 0.01])).toEqual([3]);
  expect(collectionsOf([0.9, 0.01, 0.01, 0.5, 0.01, 0.01, 0.01, 0.9, 0, 0, 0])).toEqual([6, 10]);
});

test('collects again where little work goes on and leaves much', () => {
  expect(collectionsOf([0.9, 0, 0, 0, 0, 0.05, 0, 0, 0, 0, 0, 0])).toEqual([3, 6]);
});

test('does not collect where the work has left little', () => {
  expect(collectionsOf([0, 0, 0, 0.9, 0, 0, 0, 0.9, 0, 0, 0], 2 * MB)).toEqual([2]);
  expect(collectionsOf([0, 0, 0, 0.9, 0, 0, 0, 0.9, 0.9, 0, 0, 0], 2 * MB)).toEqual([2, 11]);
});

test('measures from the least since the collection, since V8 gives memory back later', () => {
  let bytes = 30 * MB;
  let collections = 0;
  const heap = new IdleHeap({ busyShare: () => share, bytes: () => bytes, collect: () => void collections++ });
  let share = 0;
  const idle = () => {
    for (let call = 0; call < 3; call++) heap.check();
  };
  idle();
  bytes = 15 * MB;
  heap.check();
  share = 1;
  bytes = 25 * MB;
  heap.check();
  share = 0;
  idle();
  expect(collections).toBe(2);
});

test('every role has the function that collects', () => {
  for (const flags of Object.values(V8_FLAGS)) {
    const { stdout } = spawnSync(process.execPath, [...flags, '-p', 'typeof gc'], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('function');
  }
});
