/** The feed in one process, the streams in another, Redis between them. */
import { type Store, TOPIC } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { RedisServer } from '../support/redis-server.js';
import { memoryLog, raised, realClock } from '../support/store-world.js';
import { FeedWorld } from './feed-world.js';

let redis: RedisServer;
let world: FeedWorld;
let other: Store;

beforeEach(async () => {
  redis = await RedisServer.start({ durable: true });
  world = await FeedWorld.open(undefined, undefined, undefined, redis.url);
  other = await openStore({ dataDir: '/nonexistent', redisUrl: redis.url, log: memoryLog(), clock: realClock });
});

afterEach(async () => {
  await other.close();
  await world.close();
  await redis.stop();
});

test('records that another process stored come in order', async () => {
  await world.live('1');
  const client = await world.subscribe({ broadcasts: ['1'] });
  await client.next('synced');
  for (let number = 1; number <= 30; number++) {
    const records = await other.records.append([raised('1', 1, number)]);
    other.bus.publish(TOPIC.records, { broadcastId: '1', records });
  }
  await client.next('records', (message) => message.revision === 30);
  expect(client.records('1').map((record) => record.revision)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  await client.close();
});

test('what the bus did not tell comes when Redis is back from an outage', async () => {
  await world.live('1');
  const client = await world.subscribe({ broadcasts: ['1'] });
  await client.next('synced');
  // Stored, but told to nobody, as when the message goes by while this process is not listening.
  await other.records.append([raised('1', 1, 1)]);
  const gone = new Promise<void>((resolve) => world.store.onAvailability((available) => !available && resolve()));
  await redis.kill();
  await gone;
  expect(client.records('1')).toEqual([]);
  await redis.restart();
  await client.next('records', (message) => message.revision === 1);
  expect(client.records('1').map((record) => record.revision)).toEqual([1]);
  await client.close();
});
