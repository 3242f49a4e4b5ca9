import { spawnSync } from 'node:child_process';
import { IdleHeap } from '../../../../src/server/system/idle-heap.js';
import { V8_FLAGS } from '../../../../src/server/system/v8-flags.js';

const MB = 2 ** 20;

function collectionsOf(shares: readonly number[], youngBytes = 16 * MB): number[] {
  const at: number[] = [];
  let call = 0;
  const heap = new IdleHeap({
    busyShare: () => shares[call] as number,
    youngBytes: () => youngBytes,
    collect: () => at.push(call),
  });
  for (; call < shares.length; call++) heap.check();
  return at;
}

test('collects once after each burst of work, and only while there is something to return', () => {
  expect(collectionsOf([0.9, 0.01, 0.01, 0.01, 0.01, 0.01])).toEqual([3]);
  expect(collectionsOf([0.9, 0.01, 0.01, 0.5, 0.01, 0.01, 0.01, 0.9, 0, 0, 0])).toEqual([6, 10]);
  expect(collectionsOf([0.9, 0.01, 0.01, 0.01], 2 * MB)).toEqual([]);
});

test('the web process alone has the function that collects', () => {
  const typeOf = (flags: readonly string[]) =>
    spawnSync(process.execPath, [...flags, '-p', 'typeof gc'], { encoding: 'utf8' }).stdout.trim();
  expect(typeOf(V8_FLAGS.web)).toBe('function');
  expect(typeOf(V8_FLAGS.ingest)).toBe('undefined');
});
