/** What one process told an encoder, asked of another at once: it waits until the store has it, however slow that is. */
import { Airlock } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { slowRecords } from '../support/slow-records.js';
import { synthStream } from '../support/synth-stream.js';

test('a GET right after a push returns the record of any process', async () => {
  const redis = await RedisServer.start();
  const { url, server } = await slowRecords(redis);
  const airlock = await Airlock.start({ REDIS_URL: url, AIRLOCK_RECORD: 'off', AIRLOCK_WORKERS: '2' });
  try {
    for (let round = 1; round <= 3; round += 1) {
      const live = await airlock.createLive();
      const publisher = await Publisher.open(airlock, live.key);
      const sending = publisher.send(paced(synthStream({ durationMs: 60_000, channels: 1 }))).catch(() => undefined);
      const { fields } = await publisher.status(
        'NetStream.Publish.Violation',
        (each) => each.fields.error_code === 6304,
      );
      const [list, nested, counted] = await Promise.all([
        airlock.errors(live.id),
        airlock.get(`/${live.id}`, { fields: 'errors{id}' }),
        airlock.get(`/${live.id}/errors`, { summary: 'total_count', limit: '0' }),
      ]);
      expect(list.map(({ id }) => id)).toContain(fields.id);
      expect(nested.errors.data).toContainEqual({ id: fields.id });
      expect(counted.summary.total_count).toBeGreaterThan(0);
      publisher.cut();
      await sending;
    }
  } finally {
    await airlock.stop();
    server.close();
    await redis.stop();
  }
});
