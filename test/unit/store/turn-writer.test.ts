import { Writable } from 'node:stream';
import { TurnWriter } from '../../../src/store/remote/frames.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A socket that keeps what each system call would write. */
function recorder() {
  const calls: string[] = [];
  const socket = new Writable({
    write: (chunk, _encoding, done) => {
      calls.push(String(chunk));
      done();
    },
    writev: (chunks, done) => {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join('+'));
      done();
    },
  });
  return { calls, socket };
}

test('frames of several callbacks of one turn leave in one call, in order', async () => {
  const { calls, socket } = recorder();
  const writer = new TurnWriter(socket);
  writer.write(Buffer.from('a'));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  writer.write(Buffer.from('b'));
  await Promise.resolve();
  writer.write(Buffer.from('c'));
  expect(calls).toEqual([]);
  await turn();
  expect(calls).toEqual(['a+b+c']);
  writer.write(Buffer.from('d'));
  await turn();
  expect(calls).toEqual(['a+b+c', 'd']);
});

test('a socket that ends in the same turn sends what was written before', async () => {
  const { calls, socket } = recorder();
  new TurnWriter(socket).write(Buffer.from('last'));
  await new Promise<void>((resolve) => socket.end(resolve));
  await turn();
  expect(calls).toEqual(['last']);
});
