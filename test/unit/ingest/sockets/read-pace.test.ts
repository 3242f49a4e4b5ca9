/** Turns of connections that are read at intervals. */
import { jest } from '@jest/globals';
import { PacedRead, ReadPace } from '../../../../src/ingest/sockets/read-pace.js';

const INTERVAL_MS = 100;
let received: number;
let isReading: boolean;
let isDestroyed: boolean;

beforeEach(() => {
  jest.useFakeTimers();
  received = 0;
  isReading = true;
  isDestroyed = false;
});

afterEach(() => {
  jest.useRealTimers();
});

function member(): PacedRead {
  const handle = {
    readStart: () => {
      isReading = true;
      return 0;
    },
    readStop: () => {
      isReading = false;
      return 0;
    },
  };
  return new PacedRead(
    () => (isDestroyed ? undefined : handle),
    () => received,
  );
}

/** Until each member has had its turn, and the end of it, which is an immediate, has come. */
function turns(n: number): void {
  jest.advanceTimersByTime(n * INTERVAL_MS);
  jest.advanceTimersByTime(1);
}

test('a connection rests between its turns, and says what may wait for the next one', () => {
  const pace = new ReadPace({ intervalMs: INTERVAL_MS, leastMembers: 1 });
  const read = member();
  pace.join(read);
  expect(isReading).toBe(true);
  received += 5_000;
  turns(1);
  expect({ isReading, resting: read.lastBytes }).toEqual({ isReading: false, resting: 5_000 });
  turns(1);
  expect({ isReading, resting: read.lastBytes }).toEqual({ isReading: false, resting: 0 });
  pace.leave(read);
  expect(isReading).toBe(true);
});

test('a connection that delivers much in a turn is read as it arrives until its next one', () => {
  const pace = new ReadPace({ intervalMs: INTERVAL_MS, leastMembers: 1 });
  const read = member();
  pace.join(read);
  turns(1);
  received += 200_000;
  turns(1);
  expect({ isReading, resting: read.lastBytes }).toEqual({ isReading: true, resting: 0 });
  received += 20_000;
  turns(1);
  expect(isReading).toBe(false);
  pace.leave(read);
});

test('few connections are read as they arrive', () => {
  const pace = new ReadPace({ intervalMs: INTERVAL_MS, leastMembers: 2 });
  const [one, other] = [member(), member()];
  pace.join(one);
  turns(2);
  expect(isReading).toBe(true);
  pace.join(other);
  turns(2);
  expect(isReading).toBe(false);
  pace.leave(other);
  turns(1);
  expect(isReading).toBe(true);
  pace.leave(one);
  expect(jest.getTimerCount()).toBe(0);
});

test('an interval of 0 reads all connections as they arrive', () => {
  const pace = new ReadPace({ intervalMs: 0, leastMembers: 1 });
  const read = member();
  pace.join(read);
  expect(jest.getTimerCount()).toBe(0);
  pace.leave(read);
  expect(isReading).toBe(true);
});

test('a destroyed socket is left alone', () => {
  const pace = new ReadPace({ intervalMs: INTERVAL_MS, leastMembers: 1 });
  const read = member();
  pace.join(read);
  turns(1);
  expect(isReading).toBe(false);
  isDestroyed = true;
  turns(2);
  pace.leave(read);
  pace.leave(read);
  expect(isReading).toBe(false);
  expect(jest.getTimerCount()).toBe(0);
});
