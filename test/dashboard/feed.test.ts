import { FEED_LIMITS } from '../../src/dashboard/view/limits.js';
import { SYSTEM_EDGES, TOPIC, VOLATILE } from '../../src/ports/index.js';
import { errorView } from '../../src/spec/error-view.js';
import { FeedClient } from '../support/feed-client.js';
import { raised } from '../support/store-harness.js';
import { FeedHarness, HEALTH } from './feed-harness.js';

const BROADCAST = { broadcastId: '1', videoId: '10' };

let harness: FeedHarness;

beforeEach(async () => {
  harness = await FeedHarness.open();
});

afterEach(() => harness.close());

describe('the first message', () => {
  test.each([
    ['invalid JSON', 'hello', 4400],
    ['a value that is not an object', '[]', 4400],
    ['another type', { type: 'hello', token: 'page-7' }, 4400],
    ['no token', { type: 'subscribe' }, 4400],
    ['an invalid id', { type: 'subscribe', token: 'page-7', broadcasts: ['../1'] }, 4400],
    [
      'too many ids',
      { type: 'subscribe', token: 'page-7', broadcasts: Array.from({ length: 201 }, (_, i) => `${i}`) },
      4400,
    ],
    ['an invalid revision', { type: 'subscribe', token: 'page-7', after_revision: { 1: 1.5 } }, 4400],
    ['an unknown token', { type: 'subscribe', token: 'unknown' }, 4401],
  ])('with %s closes the socket', async (_, first, code) => {
    const client = await FeedClient.open(harness.url, first);
    expect((await client.closed).code).toBe(code);
    expect(client.messages).toEqual([]);
  });

  test('is rejected before it is parsed if it exceeds 32 KiB', async () => {
    const client = await FeedClient.open(harness.url, { type: 'subscribe', token: 'x'.repeat(40_000) });
    expect((await client.closed).code).toBe(1009);
  });

  test('is the only one accepted', async () => {
    const client = await harness.subscribe();
    await client.next('synced');
    client.socket.send(JSON.stringify({ type: 'subscribe', token: 'page-7' }));
    expect((await client.closed).code).toBe(4400);
  });

  test('carries the token; a token in the URL is ignored', async () => {
    const client = await FeedClient.open(`${harness.url}?token=page-7&access_token=page-7`, {
      type: 'subscribe',
      token: 'x',
    });
    expect((await client.closed).code).toBe(4401);
  });
});

describe('a subscription', () => {
  test('begins with the current state of each broadcast and its open records, formatted as by GET', async () => {
    await harness.live('1');
    const [open, cleared] = await harness.raise('1', 2);
    await harness.clear(cleared!);
    const client = await harness.subscribe();
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
        records: [{ ...JSON.parse(JSON.stringify(errorView(open!, BROADCAST))), broadcast_id: '1', video_id: '10' }],
        revision: 3,
      },
    ]);
    await client.close();
  });

  test('includes the newest records when `recent` is given', async () => {
    await harness.live('1');
    for (const record of await harness.raise('1', 3)) await harness.clear(record);
    const client = await harness.subscribe({ broadcasts: ['1'], recent: 2 });
    await client.next('synced');
    expect(client.records('1').map((record) => record.sequence)).toEqual([2, 3]);
    await client.close();
  });

  test('receives each record change in order: raised, cleared', async () => {
    await harness.live('1');
    const client = await harness.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const [record] = await harness.raise('1');
    await harness.clear(record!);
    await client.next('records', (message) => message.revision === 2);
    expect(client.records('1').map(({ revision, cleared_time }) => [revision, cleared_time])).toEqual([
      [1, undefined],
      [2, new Date(record!.timestampMs + 1_000).toISOString()],
    ]);
    await client.close();
  });

  test('to all broadcasts includes those being received, even if newer ones fill the list', async () => {
    await harness.owner('8', 'Another');
    for (let id = 10; id <= 12; id++) await harness.live(String(id), { ownerId: id === 12 ? '8' : '7' });
    for (let id = 1_000; id < 1_205; id++) await harness.live(String(id));
    for (const id of ['11', '12']) {
      await harness.store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.connected, member: id, score: 1 }]);
    }
    const client = await harness.subscribe();
    const { broadcasts } = await client.next('ready');
    await client.next('synced');
    expect(broadcasts).toEqual(['11', ...Array.from({ length: 199 }, (_, index) => String(1_204 - index))]);
    await client.close();
  });

  test('to all broadcasts receives later ones and state changes, but none of other owners', async () => {
    const client = await harness.subscribe();
    await client.next('synced');
    await harness.owner('8', 'Another');
    await harness.live('2', { ownerId: '8' });
    await harness.live('3');
    await client.next('broadcast', ({ broadcast }) => broadcast.id === '3');
    await harness.live('3', { status: 'LIVE', stream: 'connected' });
    await client.next('broadcast', ({ broadcast }) => broadcast.id === '3' && broadcast.status === 'LIVE');
    await harness.raise('2');
    await harness.raise('3');
    await client.next('records', ({ broadcast_id, records }) => broadcast_id === '3' && records.length === 1);
    expect(client.messages.filter((message) => JSON.stringify(message).includes('"2"'))).toEqual([]);
    await client.close();
  });

  test('reports unreadable and unknown broadcasts alike as missing', async () => {
    await harness.owner('8', 'Another');
    await harness.live('2', { ownerId: '8' });
    const client = await harness.subscribe({ broadcasts: ['2', '999'] });
    await client.next('synced');
    expect(client.of('missing').map((message) => message.broadcast_id)).toEqual(['2', '999']);
    await harness.raise('2');
    await harness.live('4');
    await harness.raise('4');
    const other = await harness.subscribe({ broadcasts: ['4'] });
    await other.next('synced');
    expect(client.of('records')).toEqual([]);
    await Promise.all([client.close(), other.close()]);
  });

  test('with a token limited to one broadcast reads only that broadcast', async () => {
    await harness.live('1');
    await harness.live('2');
    harness.tokens.set('dock', harness.viewer([], { broadcastIds: ['2'], mayRead: async (live) => live.id === '2' }));
    const client = await harness.subscribe({ token: 'dock' });
    await client.next('synced');
    expect(client.of('broadcast').map((message) => message.broadcast.id)).toEqual(['2']);
    const other = await harness.subscribe({ token: 'dock', broadcasts: ['1'] });
    await other.next('synced');
    expect(other.of('missing').map((message) => message.broadcast_id)).toEqual(['1']);
    await Promise.all([client.close(), other.close()]);
  });

  test('receives observed values while an encoder is connected, then null', async () => {
    await harness.live('1', { stream: 'connected' });
    harness.health.set('1', HEALTH);
    const client = await harness.subscribe();
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
    const detector = (exempt: string[]) =>
      harness.store.volatile.set(VOLATILE.copyrightDetector, { state: 'on', references: 1, exempt }, 60_000);
    await detector(['8']);
    await client.next('health', (message) => message.health?.copyright_check === 'on');
    // All references are of the owner: nothing is looked for.
    await detector(['7']);
    await client.next('health', (message) => message.health?.copyright_check === 'idle');
    harness.health.delete('1');
    await client.next('health', (message) => message.health === null);
    await client.close();
  });
});

describe('resuming by revision', () => {
  const seen = (client: FeedClient): number[] => client.records('1').map((record) => record.revision);
  const upTo = (last: number, from = 1): number[] =>
    Array.from({ length: last - from + 1 }, (_, index) => from + index);

  test('sends each missed record once, even while new ones arrive', async () => {
    await harness.live('1');
    const first = await harness.subscribe({ broadcasts: ['1'] });
    await first.next('synced');
    await harness.raise('1', 10);
    await first.next('records', (message) => message.revision === 10);
    first.socket.terminate();
    await harness.raise('1', 350);
    const second = await harness.subscribe({ broadcasts: ['1'], after_revision: { 1: first.revision('1') } });
    for (let batch = 0; batch < 20; batch++) await harness.raise('1', 3);
    await second.next('records', (message) => message.revision === 420);
    expect([...seen(first), ...seen(second)]).toEqual(upTo(420));
    expect(second.of('records').some((message) => message.snapshot)).toBe(false);
    await second.close();
  });

  test('a snapshot taken while records arrive has no gaps and no duplicates', async () => {
    await harness.live('1');
    await harness.raise('1', 40);
    const client = await harness.subscribe({ broadcasts: ['1'] });
    for (let batch = 0; batch < 30; batch++) await harness.raise('1', 2);
    await client.next('records', (message) => message.revision === 100);
    expect(seen(client)).toEqual(upTo(100));
    await client.close();
  });

  test('reads records that the bus missed from the store', async () => {
    await harness.live('1');
    const client = await harness.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const lost = await harness.store.records.append([raised('1', 9, 1)]);
    expect(lost.map((record) => record.revision)).toEqual([1]);
    await harness.raise('1');
    await client.next('records', (message) => message.revision === 2);
    expect(seen(client)).toEqual([1, 2]);
    await client.close();
  });

  test('sends a record once if the bus delivers it twice or late', async () => {
    await harness.live('1');
    const client = await harness.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    const first = await harness.raise('1');
    harness.publishRecords('1', first);
    await harness.raise('1');
    harness.publishRecords('1', first);
    await harness.raise('1');
    await client.next('records', (message) => message.revision === 3);
    expect(seen(client)).toEqual([1, 2, 3]);
    await client.close();
  });

  test('starts with a snapshot if the revision is higher than any in the log', async () => {
    await harness.live('1');
    await harness.raise('1', 2);
    const client = await harness.subscribe({ broadcasts: ['1'], after_revision: { 1: 99 } });
    await client.next('synced');
    expect(client.of('records')).toMatchObject([{ snapshot: true, revision: 2 }]);
    expect(seen(client)).toEqual([1, 2]);
    await client.close();
  });
});

describe('bounds', () => {
  test('closes a subscriber that stops reading with 4008; it resumes from its last revision', async () => {
    await harness.live('1');
    const slow = await harness.subscribe({ broadcasts: ['1'] });
    await slow.next('synced');
    slow.socket.pause();
    const description = `[6208 KEY_FRAME_INTERVAL_TOO_LONG] ${'x'.repeat(20_000)}`;
    let raisedCount = 0;
    // Few commits between the close and the first read, which must come within the time for the close frame.
    for (; harness.feed.sockets > 0 && raisedCount < 3_000; raisedCount += 100) {
      await harness.raise('1', 100, { description });
      if (raisedCount > 500) slow.socket.resume();
    }
    expect((await slow.closed).code).toBe(4008);
    const received = slow.revision('1');
    expect(received).toBeLessThan(raisedCount);
    const again = await harness.subscribe({ broadcasts: ['1'], after_revision: { 1: received } });
    await again.next('records', (message) => message.revision === raisedCount);
    expect([...slow.records('1'), ...again.records('1')].map((record) => record.revision)).toEqual(
      Array.from({ length: raisedCount }, (_, index) => index + 1),
    );
    await again.close();
  });

  test('closes the sockets of a revoked token at once, and no others', async () => {
    harness.tokens.set('other', harness.viewer(['7']));
    const client = await harness.subscribe();
    const other = await harness.subscribe({ token: 'other' });
    await Promise.all([client.next('synced'), other.next('synced')]);
    harness.tokens.delete('page-7');
    harness.store.bus.publish(TOPIC.tokens, { id: '1' });
    expect((await client.closed).code).toBe(4401);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    await other.close();
  });

  test('adds the broadcasts of an owner on which the viewer was given a role', async () => {
    await harness.live('1');
    harness.tokens.set('page-7', harness.viewer([]));
    const client = await harness.subscribe();
    await client.next('synced');
    expect(client.of('broadcast')).toEqual([]);
    harness.tokens.set('page-7', harness.viewer(['7']));
    harness.store.bus.publish(TOPIC.tokens, { ownerId: '7' });
    expect((await client.next('broadcast')).broadcast.id).toBe('1');
    await client.close();
  });

  test('ends the subscription to broadcasts of an owner whose role was removed', async () => {
    await harness.live('1');
    const client = await harness.subscribe({ broadcasts: ['1'] });
    await client.next('synced');
    harness.tokens.set('page-7', harness.viewer(['8']));
    harness.store.bus.publish(TOPIC.tokens, { id: '2' });
    await client.next('missing');
    await client.close();
  });

  test.each([
    ['owner, whatever their tokens,', {}, FEED_LIMITS.socketsPerOwner, 5],
    ['dock link', { broadcastIds: ['1'] }, FEED_LIMITS.socketsPerLink, 1],
    ['owner by dock links', { broadcastIds: ['1'] }, FEED_LIMITS.linkSocketsPerOwner, 9],
  ])(
    'closes sockets of one %s beyond the limit with 4429 until another one closes',
    async (_what, over, max, tokens) => {
      await harness.live('1');
      const subscribe = (index: number) => {
        const token = `greedy-${index % tokens}`;
        harness.tokens.set(token, harness.viewer(['7'], { tokenId: token, ...over }));
        return FeedClient.open(harness.url, { type: 'subscribe', token });
      };
      const clients = await Promise.all(Array.from({ length: max }, (_none, index) => subscribe(index)));
      await Promise.all(clients.map((client) => client.next('synced')));
      const tooMany = await subscribe(max);
      expect(await tooMany.closed).toMatchObject({ code: 4429 });
      // Another owner's, and one of the other kind: the limits of pages and of dock links are apart.
      harness.tokens.set('other', harness.viewer(['8'], { tokenId: '8' }));
      harness.tokens.set('page', harness.viewer(['7'], { tokenId: '7' }));
      harness.tokens.set('dock', harness.viewer(['7'], { tokenId: '9', broadcastIds: ['1'] }));
      const unaffected = ['other', 'broadcastIds' in over ? 'page' : 'dock'];
      const others = await Promise.all(
        unaffected.map((token) => FeedClient.open(harness.url, { type: 'subscribe', token })),
      );
      await Promise.all(others.map((client) => client.next('synced')));
      await clients[0]?.close();
      // Wait until the server has seen the close: `others` and one less than the limit are left.
      while (harness.feed.sockets > max + 1) await new Promise((resolve) => setImmediate(resolve));
      const again = await subscribe(0);
      await again.next('synced');
      await Promise.all([again, ...others, ...clients.slice(1)].map((client) => client.close()));
    },
  );

  test('closes the oldest socket without a subscription when there are too many', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => FeedClient.open(harness.url)));
    const client = await harness.subscribe();
    await client.next('synced');
    const { code } = await Promise.race(idle.map((each) => each.closed));
    expect(code).toBe(1013);
    expect(idle.filter((each) => each.socket.readyState === each.socket.OPEN)).toHaveLength(199);
    await client.close();
  });

  test('a stopping server closes sockets with 1001, which permits resuming', async () => {
    const client = await harness.subscribe();
    await client.next('synced');
    await harness.feed.close();
    expect((await client.closed).code).toBe(1001);
  });
});

test('a burst of comments, likes and votes is two messages, and reaches readers of their broadcast only', async () => {
  await harness.live('1');
  await harness.live('2');
  const [reader, other] = await Promise.all([
    harness.subscribe({ broadcasts: ['1'] }),
    harness.subscribe({ broadcasts: ['2'] }),
  ]);
  await Promise.all([reader.next('synced'), other.next('synced')]);
  const engage = (what: string, videoId: string): void =>
    void harness.store.bus.publish(TOPIC.engagement, { what, videoId });
  // Comments and likes name the video, polls the live video.
  for (const what of ['comment', 'reaction', 'moderation', 'reaction']) engage(what, '10');
  engage('poll', '1');
  engage('unheard of', '10');
  engage('comment', '30');
  await reader.next('engagement', ({ changed }) => changed.length > 1);
  expect(reader.of('engagement').map(({ changed }) => [...changed].sort())).toEqual([
    ['comments'],
    ['polls'],
    ['comments', 'reactions'],
  ]);
  expect(other.of('engagement')).toEqual([]);
});

describe('forwards of a LIVE broadcast', () => {
  const heard = (client: FeedClient, wanted: object) =>
    client.next('broadcast', ({ broadcast: { forwards = {} } }) => JSON.stringify(forwards) === JSON.stringify(wanted));

  test('are counted with those of its owner, again at each change of their state', async () => {
    await harness.live('1', { status: 'LIVE' });
    await harness.forward('71', '1');
    const client = await harness.subscribe({ broadcasts: ['1'] });
    await heard(client, { count: 1, sending: 0, failing: 0 });
    await harness.forwardIs('71', '1', 'sending');
    await heard(client, { count: 1, sending: 1, failing: 0 });
    await harness.forward('72', '7');
    await heard(client, { count: 2, sending: 1, failing: 0 });
    await harness.forwardIs('72', '1', 'refused');
    await heard(client, { count: 2, sending: 1, failing: 1 });
    expect(client.of('engagement').map(({ changed }) => changed)).toContainEqual(['forwards']);
  });

  test('that are switched off are not counted, and none of a broadcast that is over', async () => {
    await harness.live('1', { status: 'LIVE' });
    await harness.live('2', { status: 'VOD' });
    await harness.forward('71', '1', false);
    await harness.forward('72', '2');
    const client = await harness.subscribe({ broadcasts: ['1', '2'] });
    await client.next('synced');
    expect(client.of('broadcast').map(({ broadcast }) => broadcast.forwards)).toEqual([undefined, undefined]);
  });
});
