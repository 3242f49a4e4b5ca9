import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { createLog } from '../../../../src/server/system/log.js';
import { LogDestination } from '../../../../src/server/system/log-destination.js';
import { SmallDisk } from '../../../support/small-disk.js';
import { until } from '../../../support/store-harness.js';

type Done = (error: Error | null, written: number) => void;

/** A descriptor of which the test says what each write does. */
function controlled() {
  const writes: { readonly text: string; readonly done: Done }[] = [];
  const destination = new LogDestination({
    descriptor: openSync('/dev/null', 'w'),
    notice: ({ lines, code }) => `dropped ${lines} ${code}\n`,
    writev: (_descriptor, buffers, done) => writes.push({ text: Buffer.concat(buffers).toString(), done }),
  });
  let written = '';
  /** Writes so much of what was asked for; all of it by default. */
  const accept = (bytes?: number) => {
    const { text, done } = writes.shift() ?? { text: '', done: () => undefined };
    written += text.slice(0, bytes);
    done(null, bytes ?? text.length);
  };
  const fail = (code: string) => writes.shift()?.done(Object.assign(new Error(code), { code }), 0);
  return { destination, writes, accept, fail, written: () => written };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('drops and counts the lines that a full disk refuses, and tells of them once there is room', () => {
  const { destination, writes, accept, fail, written } = controlled();
  destination.write('one\n');
  destination.write('two\n');
  fail('ENOSPC');
  expect(destination.dropped).toBe(2);
  jest.advanceTimersByTime(1_000);
  expect(writes.map(({ text }) => text)).toEqual(['dropped 2 ENOSPC\n']);
  destination.write('three\n');
  fail('ENOSPC');
  jest.advanceTimersByTime(1_000);
  accept();
  destination.write('four\n');
  accept();
  expect(written()).toBe('dropped 3 ENOSPC\nfour\n');
  expect(destination.dropped).toBe(3);
});

test('ends a line that was written in part before the next one', () => {
  const { destination, accept, fail, written } = controlled();
  destination.write('half of it\n');
  accept(4);
  fail('ENOSPC');
  destination.write('whole\n');
  jest.advanceTimersByTime(1_000);
  accept();
  accept();
  expect(written()).toBe('half\nwhole\ndropped 1 ENOSPC\n');
});

test('keeps a bounded number of bytes for a reader that is late, in their order, and counts the others', () => {
  const { destination, writes, accept, fail, written } = controlled();
  const line = `${'x'.repeat(1_000_000)}\n`;
  for (let count = 0; count < 6; count++) destination.write(line);
  expect(destination.dropped).toBe(2);
  fail('EAGAIN');
  jest.advanceTimersByTime(100);
  while (writes.length > 0) accept();
  expect(written()).toBe(`${line.repeat(4)}dropped 2 EAGAIN\n`);
});

test('a flush ends although the reader does not read', async () => {
  const { destination, fail } = controlled();
  destination.write('one\n');
  fail('EAGAIN');
  const flushed = destination.flush();
  jest.advanceTimersByTime(500);
  await flushed;
  expect(destination.dropped).toBe(0);
});

test('a flush ends with the first line that a full disk refuses', async () => {
  const { destination, fail } = controlled();
  destination.write('one\n');
  const flushed = destination.flush();
  fail('ENOSPC');
  await flushed;
  expect(destination.dropped).toBe(1);
});

test('a file on a full disk gets the notice once there is room, and each of its lines can be parsed', async () => {
  jest.useRealTimers();
  const disk = await SmallDisk.mount(65_536);
  const path = join(disk.folder, 'log');
  const descriptor = openSync(path, 'a');
  try {
    const log = createLog({ level: 'info', destination: descriptor, base: { role: 'web' } });
    for (let count = 0; count < 1_000; count++) log.info({ filler: 'x'.repeat(100) }, 'a line');
    await log.flush();
    expect(log.linesDropped).toBeGreaterThan(500);
    truncateSync(path);
    await until(() => readFileSync(path, 'utf8').endsWith('\n'));
    const [cut, notice] = readFileSync(path, 'utf8').split('\n');
    expect(cut).toBe('');
    expect(JSON.parse(notice ?? '')).toMatchObject({
      level: 'warn',
      role: 'web',
      lines: log.linesDropped,
      code: 'ENOSPC',
      msg: 'log lines were dropped: they could not be written',
    });
  } finally {
    closeSync(descriptor);
    await disk.unmount();
  }
});
