/** A read on Redis costs one round trip, including its token and the rate limits. */
import { ApiHarness } from '../support/api-harness.js';
import { RedisServer } from '../support/redis-server.js';
import { RoundTrips } from '../support/round-trips.js';
import { raised } from '../support/store-harness.js';

let redis: RedisServer;
let harness: ApiHarness;
let trips: RoundTrips;
let live: string;
let video: string;
let inGroup: string;

beforeAll(async () => {
  redis = await RedisServer.start();
  harness = await ApiHarness.open({ rateLimits: { countLoopback: true } }, redis.url);
  live = await harness.live();
  await harness.goLive(live);
  video = await harness.video();
  for (const token of [harness.token, harness.strangerToken, harness.token]) {
    const comment = (await harness.post(`/${video}/comments`, { message: 'Well' }, { token })).body.id;
    await harness.post(`/${comment}/likes`);
  }
  const image = new FormData();
  image.set('source', new Blob([PIXEL], { type: 'image/gif' }), 'a.gif');
  await harness.ask('POST', `/${video}/thumbnails`, { body: image });
  const closed = await harness.owner({ kind: 'group', name: 'Club', managerId: harness.user, privacy: 'CLOSED' });
  inGroup = await harness.live({}, closed);
  await harness.goLive(inGroup);
  await harness.store.records.append([raised(live, 1, 1)]);
  // From here on scripts are sent by hash.
  await harness.get(`/${video}`, {}, { token: await harness.tokenOf(harness.user) });
  trips = new RoundTrips(harness.store.client ?? {});
});
afterAll(async () => {
  trips?.stop();
  await harness?.close();
  await redis?.stop();
});

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Round trips with an uncached token, and with the same token cached. */
async function cost(ask: (token: string) => Promise<{ status: number }>): Promise<[cold: number, warm: number]> {
  const token = await harness.tokenOf(harness.user);
  const count = async () => {
    const seen = await trips.of(async () => expect((await ask(token)).status).toBe(200));
    return seen.length;
  };
  return [await count(), await count()];
}

describe('one round trip', () => {
  test.each<[string, () => string, Record<string, string>]>([
    ['a live video', () => live, {}],
    [
      'a live video that only its owner sees',
      () => live,
      { fields: 'stream_url,from,video,ingest_streams{stream_id,is_master},privacy,total_views' },
    ],
    ['a video', () => video, {}],
    ['fields of a video', () => video, { fields: 'title,from,picture,published,views,live_video' }],
    ['a Page', () => harness.page, { fields: 'name,username,category' }],
    ['a group', () => harness.group, { fields: 'name,member_count' }],
    ['a live video in a closed group', () => inGroup, { fields: 'title,privacy' }],
    ['me', () => 'me', {}],
    ['nested comments and thumbnails', () => video, { fields: 'comments.limit(2){from,message},thumbnails' }],
    [
      'two levels with counts',
      () => video,
      {
        fields:
          'comments.order(reverse_chronological).limit(3).summary(total_count){comment_count,like_count,from{name},likes.limit(2)},tags,likes.limit(0).summary(total_count)',
      },
    ],
    ['comments of a broadcast', () => `${live}/comments`, {}],
    ['videos of a Page', () => `${harness.page}/videos`, { limit: '10' }],
    ['live videos of a Page', () => `${harness.page}/live_videos`, {}],
    ['videos of a user, uploaded and tagged', () => `${harness.user}/videos`, {}],
    ['comments by path', () => `${video}/comments`, { filter: 'stream', fields: 'message,from' }],
  ])('reads %s', async (_what, path, query) => {
    expect(await cost((token) => harness.get(`/${path()}`, query, { token }))).toEqual([1, 1]);
  });

  test('reads the status of a recording, with one more for copyright matches of its broadcast', async () => {
    expect(await cost((token) => harness.get(`/${video}`, { fields: 'title,status' }, { token }))).toEqual([2, 2]);
  });

  test('reads several nodes by ids=', async () => {
    const ask = (token: string) =>
      harness.get('/', { ids: `${live},${video},${harness.page}`, fields: 'id' }, { token });
    expect(await cost(ask)).toEqual([1, 1]);
  });

  test('reads a Page by a Page token derived from a user’s token', async () => {
    const token = await harness.tokenOf(harness.user);
    const made = (await harness.get(`/${harness.page}`, { fields: 'access_token' }, { token })).body.access_token;
    const seen = await trips.of(() => harness.get(`/${live}`, {}, { token: made }));
    expect(seen.length).toBe(1);
  });
});

test('a path without an object costs only the rate limits once its token is cached', async () => {
  const ask = () => harness.get('/video_encoder_settings');
  await ask();
  const seen = await trips.of(ask);
  expect(seen.map((commands) => commands.length)).toEqual([2]);
});

test('errors cost one round trip to validate the cached page, and one more if it is stale', async () => {
  const ask = (token: string) => harness.get(`/${live}/errors`, {}, { token });
  await ask(harness.token);
  expect(await cost(ask)).toEqual([1, 1]);
  await harness.store.records.append([raised(live, 1, 2)]);
  expect(await cost(ask)).toEqual([2, 1]);
});

test('prefetched results equal those of single reads', async () => {
  const queries: [string, Record<string, string>][] = [
    [
      `/${video}`,
      { fields: 'comments.limit(2).summary(true){from,message,comment_count,likes{name}},thumbnails,views' },
    ],
    [`/${video}/comments`, { limit: '1', summary: 'true' }],
    [`/${harness.page}/videos`, { limit: '1' }],
    [`/${live}`, { fields: 'from,video{title,comments},stream_url,total_views' }],
    ['/me', { fields: 'name,video_upload_limits' }],
    [`/${video}`, { fields: 'comments.after(nonsense)' }],
    [`/${video}`, { fields: 'comments.limit(x)' }],
    ['/1234567890', {}],
    [`/${live}`, { fields: 'nothing' }],
  ];
  const { store } = harness;
  const read = async (token: string) => {
    const replies = [];
    for (const [path, query] of queries) replies.push(await harness.get(path, query, { token }));
    return replies.map(({ status, text }) => [
      status,
      text.replace(/"fbtrace_id":"[^"]*"/, '').replace(/"[^"]*\/files\/[^"]*"/g, ''),
    ]);
  };
  const prefetched = [await read(harness.token), await read(harness.strangerToken)];
  // From what the first ones found.
  expect([await read(harness.token), await read(harness.strangerToken)]).toEqual(prefetched);
  const { readBatch } = store.objects;
  Reflect.set(store.objects, 'readBatch', undefined);
  const single = [await read(harness.token), await read(harness.strangerToken)];
  Reflect.set(store.objects, 'readBatch', readBatch);
  expect(prefetched).toEqual(single);
});

describe('an object that is read again with the same fields', () => {
  const fields = 'title,stream_url,privacy';

  test('shows a write, a role that ended, and its removal at once', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Second', managerId: harness.user });
    const managed = await harness.live({ title: 'Before' }, page);
    await harness.goLive(managed);
    const token = await harness.tokenOf(harness.user);
    const ask = async () => (await harness.get(`/${managed}`, { fields }, { token })).body;
    for (let time = 0; time < 3; time += 1) expect(await ask()).toMatchObject({ title: 'Before' });
    await harness.post(`/${managed}`, { title: 'After' });
    const read = await ask();
    expect(read.title).toBe('After');
    expect(read.stream_url).toMatch(/^rtmps:/);
    await harness.store.objects.commit([{ op: 'edgeRemove', owner: page, edge: 'roles', member: harness.user }]);
    expect(await ask()).not.toHaveProperty('stream_url');
    await harness.store.objects.commit([{ op: 'delete', id: managed }]);
    expect((await ask()).error).toMatchObject({ code: 100 });
  });
});
