/** An error reported to the encoder is in the next GET, however slow the store is. */
import { jest } from '@jest/globals';
import { ApiWorld } from '../support/api-world.js';
import { RedisServer } from '../support/redis-server.js';
import { raised } from '../support/store-world.js';

test.each(['lmdb', 'redis'])(
  'a GET of errors waits for records that are on their way to the store (%s)',
  async (kind) => {
    const redis = kind === 'redis' ? await RedisServer.start() : undefined;
    const world = await ApiWorld.open({}, redis?.url);
    try {
      const live = await world.live();
      const append = world.store.records.append.bind(world.store.records);
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      jest.spyOn(world.store.records, 'append').mockImplementation(async (...given) => {
        await opened;
        return append(...given);
      });
      const wait = world.journal.stored.bind(world.journal);
      const asked = new Promise<void>((resolve) => {
        jest.spyOn(world.journal, 'stored').mockImplementation((...given) => {
          const waiting = wait(...given);
          if (waiting !== undefined) resolve();
          return waiting;
        });
      });
      world.journal.record(raised(live, 1, 1));
      const replies = Promise.all([
        world.get(`/${live}/errors`),
        world.get(`/${live}`, { fields: 'errors' }),
        world.get(`/${live}/errors`, { summary: 'total_count', limit: '0' }),
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
      expect(wait(await world.live(), 1)).toBeUndefined();
    } finally {
      jest.restoreAllMocks();
      await world.close();
      await redis?.stop();
    }
  },
);

test('a read waits only a bounded time for an unavailable store', async () => {
  const world = await ApiWorld.open();
  try {
    const live = await world.live();
    let open: () => void = () => undefined;
    const append = world.store.records.append.bind(world.store.records);
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    jest.spyOn(world.store.records, 'append').mockImplementation(async (...given) => {
      await opened;
      return append(...given);
    });
    world.journal.record(raised(live, 1, 1));
    expect(await world.journal.stored(live, 1)).toBe(false);
    const later = world.journal.stored(live, 10_000);
    world.journal.record(raised(live, 1, 2));
    open();
    expect(await later).toBe(true);
    await world.journal.flush(10_000);
    expect(world.journal.stored(live, 1)).toBeUndefined();
  } finally {
    jest.restoreAllMocks();
    await world.close();
  }
});
