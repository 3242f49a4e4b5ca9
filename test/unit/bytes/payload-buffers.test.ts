import { PayloadBuffers } from '../../../src/bytes/payload-buffers.js';

const pool = (): PayloadBuffers => new PayloadBuffers(() => new Uint8Array(8));

test('reuses a buffer after its release, not before', () => {
  const buffers = pool();
  const first = buffers.take();
  expect(buffers.take()).not.toBe(first);
  buffers.release(first);
  expect(buffers.take()).toBe(first);
});

test('never reuses a buffer that was given away', () => {
  const buffers = pool();
  const first = buffers.take();
  buffers.giveAway(first);
  buffers.release(first);
  expect(buffers.take()).not.toBe(first);
});

test('ignores foreign buffers and double releases', () => {
  const buffers = pool();
  const foreign = new Uint8Array(8);
  buffers.release(foreign);
  expect(buffers.take()).not.toBe(foreign);
  const own = buffers.take();
  buffers.release(own);
  buffers.release(own);
  expect(buffers.take()).toBe(own);
  expect(buffers.take()).not.toBe(own);
});

test('keeps free buffers up to a bound', () => {
  let made = 0;
  const buffers = new PayloadBuffers(() => {
    made++;
    return new Uint8Array(1);
  });
  const taken = Array.from({ length: 1_500 }, () => buffers.take());
  for (const buffer of taken) buffers.release(buffer);
  for (let i = 0; i < 1_500; i++) buffers.take();
  expect(made).toBe(1_500 + 476);
});
