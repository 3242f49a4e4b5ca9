import { jest } from '@jest/globals';
import { diskReserve } from '../../src/config/settings/values.js';
import { DISK } from '../../src/store/disk/limits.js';
import { ConversionRoom } from '../../src/vod/processing/conversion-room.js';

let freeBytes = 0;
/** A disk of 1,000 bytes with a reserve of 200: conversions start above 100 free bytes and are aborted below 50. */
const room = () =>
  new ConversionRoom({
    folder: '/',
    reserve: diskReserve().parse('20%'),
    disk: async () => ({ freeBytes, diskBytes: 1_000 }),
  });
const { signal } = new AbortController();
const NO_ROOM = { code: 'NO_ROOM', message: expect.stringContaining('reserve of 20%') };

afterEach(() => jest.useRealTimers());

test('a conversion starts if half of the reserve stays free', async () => {
  freeBytes = 150;
  expect(await room().run(50, signal, async () => 'done')).toBe('done');
  await expect(room().run(51, signal, async () => 'done')).rejects.toMatchObject(NO_ROOM);
});

test('the expected output of running conversions is reserved', async () => {
  freeBytes = 400;
  const shared = room();
  let end = (): void => undefined;
  const first = shared.run(200, signal, () => new Promise<void>((resolve) => (end = resolve)));
  await expect(shared.run(101, signal, async () => undefined)).rejects.toMatchObject(NO_ROOM);
  await shared.run(100, signal, async () => undefined);
  end();
  await first;
  await shared.run(300, signal, async () => undefined);
});

test('a conversion is aborted at the last quarter of the reserve', async () => {
  jest.useFakeTimers();
  freeBytes = 200;
  const aborted = room().run(
    10,
    signal,
    (whileRoom) =>
      new Promise((_resolve, reject) => {
        whileRoom.addEventListener('abort', () => reject(new Error('the tool was ended')));
        freeBytes = 49;
      }),
  );
  const outcome = expect(aborted).rejects.toMatchObject(NO_ROOM);
  await jest.advanceTimersByTimeAsync(DISK.checkMs);
  await outcome;
});

test('a job aborted for another reason reports that reason', async () => {
  freeBytes = 500;
  const job = new AbortController();
  const work = room().run(10, job.signal, async (whileRoom) => {
    job.abort(new Error('the lease was lost'));
    whileRoom.throwIfAborted();
  });
  await expect(work).rejects.toThrow('the lease was lost');
});
