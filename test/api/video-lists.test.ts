/** Pages of videos beside broadcasts that never aired, whose Videos have nothing to watch, on both stores. */
import { jest } from '@jest/globals';
import type { BatchRead } from '../../src/ports/index.js';
import { ApiHarness } from '../support/api-harness.js';
import { RedisServer } from '../support/redis-server.js';

describe.each(['lmdb', 'redis'])('on %s', (kind) => {
  let harness: ApiHarness;
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = kind === 'redis' ? await RedisServer.start() : undefined;
    harness = await ApiHarness.open({}, redis?.url);
  });
  afterAll(async () => {
    await harness.close();
    await redis?.stop();
  });

  test('25 asked are 25 given, newest first, in one read of the list', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Planner', managerId: harness.user });
    const aired: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      harness.clock.advance(1);
      const live = await harness.live({ status: n % 2 === 0 ? 'UNPUBLISHED' : 'LIVE_NOW' }, page);
      if (n % 2 === 0) continue;
      await harness.goLive(live);
      aired.unshift((await harness.get(`/${live}`, { fields: 'video' })).body.video.id);
    }
    const { objects } = harness.store;
    const { readBatch } = objects;
    const asked: string[] = [];
    const list = jest.spyOn(objects, 'pages');
    const noted = (wanted: BatchRead) => {
      // One round trip, whatever it names.
      asked.push(...new Set(wanted.lists.map(({ edge }) => edge)));
      return readBatch?.call(objects, wanted);
    };
    if (readBatch !== undefined) Object.assign(objects, { readBatch: noted });
    const first = (await harness.get(`/${page}/videos`, { fields: 'id' })).body;
    asked.push(...list.mock.calls.flatMap(([pages]) => pages.map(({ name }) => name.edge)));
    list.mockRestore();
    Object.assign(objects, { readBatch });
    expect(asked.filter((edge) => edge === 'videos')).toEqual(['videos']);
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(aired.slice(0, 25));
    const next = await harness.get(first.paging.next.slice(harness.url.length));
    expect(next.body.data.map(({ id }: { id: string }) => id)).toEqual(aired.slice(25));
    expect(next.body.paging.next).toBeUndefined();
  });

  test('a broadcast that airs late has its place by its creation', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Late', managerId: harness.user });
    const [first, second] = [await harness.live({}, page), await harness.live({}, page)];
    const listed = async () => (await harness.get(`/${page}/videos`, { fields: 'live_status' })).body.data.length;
    await harness.goLive(second);
    expect(await listed()).toBe(1);
    await harness.goLive(first);
    const videos = await Promise.all([second, first].map((id) => harness.get(`/${id}`, { fields: 'video' })));
    expect((await harness.get(`/${page}/videos`, { fields: 'id' })).body.data).toEqual(
      videos.map(({ body }) => ({ id: body.video.id })),
    );
    // A preview that never airs, and a scheduled one, are not listed.
    await harness.live({ status: 'UNPUBLISHED' }, page);
    expect(await listed()).toBe(2);
  });
});
