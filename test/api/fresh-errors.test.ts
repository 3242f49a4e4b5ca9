/** An error reported to the encoder is in the next GET, however slow the store is. */
import { jest } from '@jest/globals';
import { ApiHarness } from '../support/api-harness.js';
import { RedisServer } from '../support/redis-server.js';
import { raised } from '../support/store-harness.js';

test.each(['lmdb', 'redis'])(
  'a GET of errors waits for records that are on their way to the store (%s)',
  async (kind) => {
    const redis = kind === 'redis' ? await RedisServer.start() : undefined;
    const harness = await ApiHarness.open({}, redis?.url);
    try {
      const live = await harness.live();
      const append = harness.store.records.append.bind(harness.store.records);
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      jest.spyOn(harness.store.records, 'append').mockImplementation(async (...given) => {
        await opened;
        return append(...given);
      });
      const wait = harness.journal.stored.bind(harness.journal);
      const asked = new Promise<void>((resolve) => {
        jest.spyOn(harness.journal, 'stored').mockImplementation((...given) => {
          const waiting = wait(...given);
          if (waiting !== undefined) resolve();
          return waiting;
        });
      });
      void harness.journal.append([raised(live, 1, 1)]);
      const replies = Promise.all([
        harness.get(`/${live}/errors`),
        harness.get(`/${live}`, { fields: 'errors' }),
        harness.get(`/${live}/errors`, { summary: 'total_count', limit: '0' }),
      ]);
      // Unblocks the store once a reader waits, or has returned without waiting.
      await Promise.race([asked, replies]);
      open();
      const [list, nested, counted] = await replies;
      const id = `${live}_1_1`;
      expect(list.body.data).toMatchObject([{ id }]);
      expect(nested.body.errors.data).toMatchObject([{ id }]);
      expect(counted.body.summary.total_count).toBe(1);
      // Reads of another broadcast do not wait.
      expect(wait(await harness.live(), 1)).toBeUndefined();
    } finally {
      jest.restoreAllMocks();
      await harness.close();
      await redis?.stop();
    }
  },
);

test('a read waits only a bounded time for an unavailable store', async () => {
  const harness = await ApiHarness.open();
  try {
    const live = await harness.live();
    let open: () => void = () => undefined;
    const append = harness.store.records.append.bind(harness.store.records);
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    jest.spyOn(harness.store.records, 'append').mockImplementation(async (...given) => {
      await opened;
      return append(...given);
    });
    void harness.journal.append([raised(live, 1, 1)]);
    expect(await harness.journal.stored(live, 1)).toBe(false);
    const later = harness.journal.stored(live, 10_000);
    void harness.journal.append([raised(live, 1, 2)]);
    open();
    expect(await later).toBe(true);
    await harness.journal.flush(10_000);
    expect(harness.journal.stored(live, 1)).toBeUndefined();
  } finally {
    jest.restoreAllMocks();
    await harness.close();
  }
});
