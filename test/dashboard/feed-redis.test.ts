/** The feed and the streams in different processes that share a Redis. */
import { type Store, TOPIC } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { RedisServer } from '../support/redis-server.js';
import { memoryLog, raised, realClock } from '../support/store-harness.js';
import { FeedHarness } from './feed-harness.js';

let redis: RedisServer;
let harness: FeedHarness;
let other: Store;

beforeEach(async () => {
  redis = await RedisServer.start({ durable: true });
  harness = await FeedHarness.open(undefined, undefined, undefined, redis.url);
  other = await openStore({ dataDir: '/nonexistent', redisUrl: redis.url, log: memoryLog(), clock: realClock });
});

afterEach(async () => {
  await other.close();
  await harness.close();
  await redis.stop();
});

test('receives records stored by another process in order', async () => {
  await harness.live('1');
  const client = await harness.subscribe({ broadcasts: ['1'] });
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

test('a session of one process signs in at another, and both close its feeds when it signs out everywhere', async () => {
  const second = await FeedHarness.open(undefined, undefined, undefined, redis.url);
  try {
    const { cookie } = await harness.signIn('page-7');
    const feeds = await Promise.all([harness, second].map((each) => each.follow(cookie)));
    await Promise.all(feeds.map((feed) => feed.next('ready')));
    const session = await second.sessions.find(cookie);
    if (session === undefined) throw new Error('the session is unknown to the other process');
    await second.sessions.endAll(session, '192.0.2.1');
    for (const feed of feeds) expect(await feed.closed).toMatchObject({ code: 4401 });
    expect(await harness.sessions.find(cookie)).toBeUndefined();
  } finally {
    await second.close();
  }
});

test('reads records that the bus missed once Redis is back from an outage', async () => {
  await harness.live('1');
  const client = await harness.subscribe({ broadcasts: ['1'] });
  await client.next('synced');
  // Stored but not published, as if the message was lost while this process was disconnected.
  await other.records.append([raised('1', 1, 1)]);
  const gone = new Promise<void>((resolve) => harness.store.onAvailability((available) => !available && resolve()));
  await redis.kill();
  await gone;
  expect(client.records('1')).toEqual([]);
  await redis.restart();
  await client.next('records', (message) => message.revision === 1);
  expect(client.records('1').map((record) => record.revision)).toEqual([1]);
  await client.close();
});
