/** Turns of connections that are read at intervals. */
import { jest } from '@jest/globals';
import { type Left, PacedRead, ReadPace } from '../../../../src/ingest/sockets/read-pace.js';

const INTERVAL_MS = 100;

/** A connection, whose kernel holds `waiting` bytes. */
class Source {
  received = 0;
  waiting = 0;
  isReading = true;
  isDestroyed = false;
  /** Bytes that one read takes. */
  perRead = 1_000_000;
  readonly reads: number[] = [];

  readonly #handle = {
    readStart: () => {
      this.isReading = true;
      return 0;
    },
    readStop: () => {
      this.isReading = false;
      return 0;
    },
  };

  get handle() {
    return this.isDestroyed ? undefined : this.#handle;
  }

  readNow(): Left {
    const size = Math.min(this.waiting, this.perRead);
    this.reads.push(size);
    this.received += size;
    this.waiting -= size;
    return size === this.perRead ? 'more' : 'nothing';
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

const turns = (n: number) => jest.advanceTimersByTime(n * INTERVAL_MS);

function joined(pace: ReadPace, source = new Source()) {
  const read = new PacedRead(source);
  pace.join(read);
  return { source, read };
}

test('a connection rests between its turns, and says what may wait for the next one', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const { source, read } = joined(pace);
  expect(source.isReading).toBe(true);
  source.waiting = 5_000;
  turns(1);
  expect([source.isReading, read.lastBytes, source.received]).toEqual([false, 5_000, 5_000]);
  turns(1);
  expect([source.isReading, read.lastBytes]).toEqual([false, 0]);
  pace.leave(read);
  expect(source.isReading).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

test('a connection that delivers much in two turns is read as it arrives until it delivers less; a key frame is not much', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const { source, read } = joined(pace);
  turns(1);
  source.waiting = 200_000;
  turns(1);
  expect([source.isReading, read.lastBytes]).toEqual([false, 200_000]);
  source.waiting = 62_000;
  turns(1);
  expect(source.isReading).toBe(false);
  source.waiting = 220_000;
  turns(1);
  expect([source.isReading, read.lastBytes]).toEqual([true, 0]);
  // What the event loop has read meanwhile counts.
  source.received += 220_000;
  turns(1);
  expect(source.isReading).toBe(true);
  source.waiting = 20_000;
  turns(1);
  expect(source.isReading).toBe(false);
});

test('a turn ends after a few reads, and what is left is read as it arrives', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const { source } = joined(pace);
  source.perRead = 1_000;
  source.waiting = 10_000;
  turns(1);
  expect(source.reads).toEqual([1_000, 1_000, 1_000]);
  expect(source.isReading).toBe(true);
});

test('the end of a stream is left to the event loop', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const { source } = joined(pace);
  turns(1);
  source.readNow = () => 'end';
  turns(2);
  expect(source.isReading).toBe(true);
});

test('many connections are read in several turns, each once an interval', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const members = Array.from({ length: 150 }, () => joined(pace));
  turns(2);
  for (const { source } of members) source.reads.length = 0;
  const wereRead = () => members.filter(({ source }) => source.reads.length > 0).length;
  for (let before = 0; before < 150; ) {
    jest.advanceTimersByTime(INTERVAL_MS / 5);
    expect(wereRead() - before).toBeLessThanOrEqual(64);
    before = wereRead();
  }
  expect(members.every(({ source }) => source.reads.length === 1)).toBe(true);
  for (const { read } of members) pace.leave(read);
  expect(members.every(({ source }) => source.isReading)).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

test('an interval of 0 reads all connections as they arrive', () => {
  const pace = new ReadPace(0);
  const { source, read } = joined(pace);
  expect(jest.getTimerCount()).toBe(0);
  pace.leave(read);
  expect(source.isReading).toBe(true);
});

test('a destroyed socket is left alone', () => {
  const pace = new ReadPace(INTERVAL_MS);
  const { source, read } = joined(pace);
  turns(1);
  expect(source.isReading).toBe(false);
  source.isDestroyed = true;
  source.reads.length = 0;
  turns(2);
  pace.leave(read);
  pace.leave(read);
  expect([source.isReading, source.reads.length]).toEqual([false, 0]);
  expect(jest.getTimerCount()).toBe(0);
});
