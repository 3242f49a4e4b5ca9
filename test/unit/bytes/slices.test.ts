/** Pieces of a message: what continues the last piece is added to it, all else is a piece of its own. */
import { expect, test } from '@jest/globals';
import { SliceList } from '../../../src/bytes/slices.js';

test('bytes that continue the last piece are added to it', () => {
  const buffer = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const list = new SliceList();
  list.append(buffer, 0, 2);
  list.append(buffer, 2, 4);
  expect(list.count).toBe(1);
  expect(list.length).toBe(4);
  // A gap, as of a chunk header.
  list.append(buffer, 5, 6);
  expect(list.count).toBe(2);
  expect([...list.copy(0, list.length)]).toEqual([1, 2, 3, 4, 6]);
});

test('bytes at the same offset of another buffer are a piece of their own', () => {
  const list = new SliceList();
  list.append(Uint8Array.of(1, 2), 0, 2);
  list.append(Uint8Array.of(7, 8, 9), 2, 3);
  expect(list.count).toBe(2);
  expect([...list.copy(0, 3)]).toEqual([1, 2, 9]);
  list.truncate(1);
  expect([...list.copy(0, 3)]).toEqual([1, 2]);
});
