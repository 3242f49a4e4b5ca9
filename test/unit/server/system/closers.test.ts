import { Closers } from '../../../../src/server/system/closers.js';
import { memoryLog } from '../../../support/store-harness.js';

test('closes resources once each, in reverse order, even if one fails', async () => {
  const closers = new Closers(memoryLog());
  const closed: string[] = [];
  const part = (name: string) => closers.add(name, () => void closed.push(name));
  part('store');
  closers.add('journal', async () => {
    closed.push('journal');
    throw new Error('no room');
  });
  part('ingest');
  const first = closers.close();
  expect(closers.close()).toBe(first);
  await expect(first).rejects.toThrow('no room');
  expect(closed).toEqual(['ingest', 'journal', 'store']);
  expect(closers.open).toEqual([]);
});

test('a failed start does not wait for a resource that hangs, and names it', async () => {
  const log = memoryLog();
  const closers = new Closers(log);
  closers.add('store', () => undefined);
  closers.add('media', () => new Promise(() => undefined));
  await closers.closeWithin(1);
  expect(closers.open).toEqual(['store', 'media']);
  expect(JSON.stringify(log.lines)).toContain('did not close in time');
});
