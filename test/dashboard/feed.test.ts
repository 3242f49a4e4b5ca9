import { FEED_LIMITS } from '../../src/dashboard/view/limits.js';
import { SYSTEM_EDGES, TOPIC } from '../../src/ports/index.js';
import { errorView } from '../../src/spec/error-view.js';
import { FeedClient } from '../support/feed-client.js';
import { raised } from '../support/store-world.js';
import { FeedWorld, HEALTH } from './feed-world.js';

let world: FeedWorld;

beforeEach(async () => {
  world = await FeedWorld.open();
});

afterEach(() => world.close());

describe('the first message', () => {
  test.each([
    ['no JSON', 'hello', 4400],
    ['no object', '[]', 4400],
    ['another type', { type: 'hello', token: 'page-7' }, 4400],
    ['no token', { type: 'subscribe' }, 4400],
    ['ids that are none', { type: 'subscribe', token: 'page-7', broadcasts: ['../1'] }, 4400],
    [
      'too many ids',
      { type: 'subscribe', token: 'page-7', broadcasts: Array.from({ length: 201 }, (_, i) => `${i}`) },
      4400,
    ],
    ['a revision that is none', { type: 'subscribe', token: 'page-7', after_revision: { 1: 1.5 } }, 4400],
    ['an unknown token', { type: 'subscribe', token: 'nobody' }, 4401],
  ])('with %s closes the socket', async (_, first, code) => {
    const client = await FeedClient.open(world.url, first);
    expect((await client.closed).code).toBe(code);
    expect(client.messages).toEqual([]);
  });

  test('of more than 32 KiB is refused before it is read', async () => {
    const client = await FeedClient.open(world.url, { type: 'subscribe', token: 'x'.repeat(40_000) });
    expect((await client.closed).code).toBe(1009);
  });

  test('is the only one', async () => {
    const client = await world.subscribe();
    await client.next('synced');
    client.socket.send(JSON.stringify({ type: 'subscribe', token: 'page-7' }));
    expect((await client.closed).code).toBe(4400);
  });

  test('carries the token: one in the URL is not looked at', async () => {
    const client = await FeedClient.open(`${world.url}?token=page-7&access_token=page-7`, {
      type: 'subscribe',
      token: 'x',
    });
    expect((await client.closed).code).toBe(4401);
  });
});

describe('a subscription', () => {
  test('begins with each broadcast as it stands and its open records, the same as GET gives them', async () => {
    await world.live('1');
    const [open, over] = await world.raise('1', 2);
    await world.clear(over!);
    const client = await world.subscribe();
    await client.next('synced');
    expect(client.of('ready')).toEqual([
      { type: 'ready', owners: [{ id: '7', name: 'A Page', kind: 'page' }], broadcasts: ['1'] },
    ]);
    expect(client.of('broadcast').map((message) => message.broadcast)).toEqual([
      expect.objectContaining({
        id: '1',
        title: 'Broadcast 1',
        status: 'UNPUBLISHED',
        stream_state: 'waiting',
        from: { id: '7', name: 'A Page' },
        errors: { total: 2, open: 1, uncounted: 0 },
      }),
    ]);
    expect(client.of('records')).toEqual([
      {
        type: 'records',
        broadcast_id: '1',
        snapshot: true,
        records: [JSON.parse(JSON.stringify(errorView(open!)))],
        revision: 3,
      },
    ]);
    await client.close();
  });

  test('gives the newest records too when it asks for them', async () => {
    await world.live('1');
    for (const record of await world.raise('1', 3)) await world.clear(record);
    const client = await world.subscribe({ broadcasts: ['1'], recent: 2 });
    await client.next('synced');
    expect(client.records('1').map((record) => record.sequence)).toEqual([2, 3]);
    await client.close();
  });

  test('hears of each change in order: raised, cleared', async () => {
    await world.live('1');
    const client = await world.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const [record] = await world.raise('1');
    await world.clear(record!);
    await client.next('records', (message) => message.revision === 2);
    expect(client.records('1').map(({ revision, cleared_time }) => [revision, cleared_time])).toEqual([
      [1, undefined],
      [2, new Date(record!.timestampMs + 1_000).toISOString()],
    ]);
    await client.close();
  });

  test('of all has those that are received now, however many were made after them', async () => {
    await world.owner('8', 'Another');
    for (let id = 10; id <= 12; id++) await world.live(String(id), { ownerId: id === 12 ? '8' : '7' });
    for (let id = 1_000; id < 1_205; id++) await world.live(String(id));
    for (const id of ['11', '12']) {
      await world.store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.connected, member: id, score: 1 }]);
    }
    const client = await world.subscribe();
    const { broadcasts } = await client.next('ready');
    await client.next('synced');
    expect(broadcasts).toEqual(['11', ...Array.from({ length: 199 }, (_, index) => String(1_204 - index))]);
    await client.close();
  }, 30_000);

  test('of all gets broadcasts that are made later, and changes of state, but none of other owners', async () => {
    const client = await world.subscribe();
    await client.next('synced');
    await world.owner('8', 'Another');
    await world.live('2', { ownerId: '8' });
    await world.live('3');
    await client.next('broadcast', ({ broadcast }) => broadcast.id === '3');
    await world.live('3', { status: 'LIVE', stream: 'connected' });
    await client.next('broadcast', ({ broadcast }) => broadcast.id === '3' && broadcast.status === 'LIVE');
    await world.raise('2');
    await world.raise('3');
    await client.next('records', ({ broadcast_id, records }) => broadcast_id === '3' && records.length === 1);
    expect(client.messages.filter((message) => JSON.stringify(message).includes('"2"'))).toEqual([]);
    await client.close();
  });

  test('says of what it may not read the same as of what never was', async () => {
    await world.owner('8', 'Another');
    await world.live('2', { ownerId: '8' });
    const client = await world.subscribe({ broadcasts: ['2', '999'] });
    await client.next('synced');
    expect(client.of('missing').map((message) => message.broadcast_id)).toEqual(['2', '999']);
    await world.raise('2');
    await world.live('4');
    await world.raise('4');
    const other = await world.subscribe({ broadcasts: ['4'] });
    await other.next('synced');
    expect(client.of('records')).toEqual([]);
    await Promise.all([client.close(), other.close()]);
  });

  test('of a token that was made for one broadcast is that broadcast', async () => {
    await world.live('1');
    await world.live('2');
    world.tokens.set('dock', world.viewer([], { broadcastIds: ['2'], mayRead: async (live) => live.id === '2' }));
    const client = await world.subscribe({ token: 'dock' });
    await client.next('synced');
    expect(client.of('broadcast').map((message) => message.broadcast.id)).toEqual(['2']);
    const prying = await world.subscribe({ token: 'dock', broadcasts: ['1'] });
    await prying.next('synced');
    expect(prying.of('missing').map((message) => message.broadcast_id)).toEqual(['1']);
    await Promise.all([client.close(), prying.close()]);
  });

  test('gets observed values while there are any, then null', async () => {
    await world.live('1', { stream: 'connected' });
    world.health.set('1', HEALTH);
    const client = await world.subscribe();
    const { health } = await client.next('health');
    expect(health).toMatchObject({
      connected: true,
      encoder: 'OBS Studio 30',
      width: 1280,
      frame_rate: 30,
      video_bitrate_kbps: 2512,
      audio_bitrate_kbps: 128,
      key_frame_interval_ms: 2000,
      since_key_frame_ms: 733,
      stream_time_ms: 12346,
    });
    world.health.delete('1');
    await client.next('health', (message) => message.health === null);
    await client.close();
  });
});

describe('resuming by revision', () => {
  const seen = (client: FeedClient): number[] => client.records('1').map((record) => record.revision);
  const upTo = (last: number, from = 1): number[] =>
    Array.from({ length: last - from + 1 }, (_, index) => from + index);

  test('gives what was missed, once each, also while more keeps coming', async () => {
    await world.live('1');
    const first = await world.subscribe({ broadcasts: ['1'] });
    await first.next('synced');
    await world.raise('1', 10);
    await first.next('records', (message) => message.revision === 10);
    first.socket.terminate();
    await world.raise('1', 350);
    const second = await world.subscribe({ broadcasts: ['1'], after_revision: { 1: first.revision('1') } });
    for (let batch = 0; batch < 20; batch++) await world.raise('1', 3);
    await second.next('records', (message) => message.revision === 420);
    expect([...seen(first), ...seen(second)]).toEqual(upTo(420));
    expect(second.of('records').some((message) => message.snapshot)).toBe(false);
    await second.close();
  });

  test('a first snapshot taken while records come leaves no gap and gives none twice', async () => {
    await world.live('1');
    await world.raise('1', 40);
    const client = await world.subscribe({ broadcasts: ['1'] });
    for (let batch = 0; batch < 30; batch++) await world.raise('1', 2);
    await client.next('records', (message) => message.revision === 100);
    expect(seen(client)).toEqual(upTo(100));
    await client.close();
  });

  test('what the bus did not bring is read from the store', async () => {
    await world.live('1');
    const client = await world.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const lost = await world.store.records.append([raised('1', 9, 1)]);
    expect(lost.map((record) => record.revision)).toEqual([1]);
    await world.raise('1');
    await client.next('records', (message) => message.revision === 2);
    expect(seen(client)).toEqual([1, 2]);
    await client.close();
  });

  test('what the bus brings twice or late is sent once', async () => {
    await world.live('1');
    const client = await world.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const first = await world.raise('1');
    world.tellRecords('1', first);
    await world.raise('1');
    world.tellRecords('1', first);
    await world.raise('1');
    await client.next('records', (message) => message.revision === 3);
    expect(seen(client)).toEqual([1, 2, 3]);
    await client.close();
  });

  test('a revision that the log never had starts again with a snapshot', async () => {
    await world.live('1');
    await world.raise('1', 2);
    const client = await world.subscribe({ broadcasts: ['1'], after_revision: { 1: 99 } });
    await client.next('synced');
    expect(client.of('records')).toMatchObject([{ snapshot: true, revision: 2 }]);
    expect(seen(client)).toEqual([1, 2]);
    await client.close();
  });
});

describe('bounds', () => {
  test('a reader that does not read is closed with 4008 and resumes from what it got', async () => {
    await world.live('1');
    const slow = await world.subscribe({ broadcasts: ['1'] });
    await slow.next('synced');
    slow.socket.pause();
    const description = `[6208 KEY_FRAME_INTERVAL_TOO_LONG] ${'x'.repeat(20_000)}`;
    let raisedCount = 0;
    for (; world.dashboard.sockets > 0 && raisedCount < 2_000; raisedCount += 10) {
      await world.raise('1', 10, { description });
      if (raisedCount > 500) slow.socket.resume();
    }
    expect((await slow.closed).code).toBe(4008);
    const got = slow.revision('1');
    expect(got).toBeLessThan(raisedCount);
    const again = await world.subscribe({ broadcasts: ['1'], after_revision: { 1: got } });
    await again.next('records', (message) => message.revision === raisedCount);
    expect([...slow.records('1'), ...again.records('1')].map((record) => record.revision)).toEqual(
      Array.from({ length: raisedCount }, (_, index) => index + 1),
    );
    await again.close();
  });

  test('a token that is revoked ends its sockets at once, others stay', async () => {
    world.tokens.set('other', world.viewer(['7']));
    const client = await world.subscribe();
    const other = await world.subscribe({ token: 'other' });
    await Promise.all([client.next('synced'), other.next('synced')]);
    world.tokens.delete('page-7');
    world.store.bus.publish(TOPIC.tokens, { id: '1' });
    expect((await client.closed).code).toBe(4401);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    await other.close();
  });

  test('a role that is taken away ends the subscription to its broadcasts', async () => {
    await world.live('1');
    const client = await world.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    world.tokens.set('page-7', world.viewer(['8']));
    world.store.bus.publish(TOPIC.tokens, { id: '2' });
    await client.next('missing');
    await client.close();
  });

  test.each([
    ['token', {}, FEED_LIMITS.socketsPerToken],
    ['dock link', { broadcastIds: ['1'] }, FEED_LIMITS.socketsPerLink],
  ])(
    'sockets of one %s beyond its bound are closed with 4429, and one that closes makes room',
    async (_what, over, max) => {
      await world.live('1');
      world.tokens.set('greedy', world.viewer(['7'], { tokenId: '2', ...over }));
      const subscribe = { type: 'subscribe', token: 'greedy' };
      const clients = await Promise.all(Array.from({ length: max }, () => FeedClient.open(world.url, subscribe)));
      await Promise.all(clients.map((client) => client.next('synced')));
      const tooMany = await FeedClient.open(world.url, subscribe);
      expect(await tooMany.closed).toMatchObject({ code: 4429 });
      const other = await FeedClient.open(world.url, { type: 'subscribe', token: 'page-7' });
      await other.next('synced');
      await clients[0]?.close();
      // The server learns of the end in a turn of its own: `other` and one less than the bound are left.
      while (world.dashboard.sockets > max) await new Promise((resolve) => setImmediate(resolve));
      const again = await FeedClient.open(world.url, subscribe);
      await again.next('synced');
      await Promise.all([again, other, ...clients.slice(1)].map((client) => client.close()));
    },
  );

  test('sockets that say nothing keep nobody out: the oldest gives way', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => FeedClient.open(world.url)));
    const client = await world.subscribe();
    await client.next('synced');
    const { code } = await Promise.race(idle.map((each) => each.closed));
    expect(code).toBe(1013);
    expect(idle.filter((each) => each.socket.readyState === each.socket.OPEN)).toHaveLength(199);
    await client.close();
  });

  test('a server that stops says so with a code that can be resumed from', async () => {
    const client = await world.subscribe();
    await client.next('synced');
    await world.dashboard.close();
    expect((await client.closed).code).toBe(1001);
  });
});
