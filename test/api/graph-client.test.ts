/** A third-party Graph client, with only its base URL changed: facebook-nodejs-business-sdk. */

import { createRequire } from 'node:module';
import { ApiHarness } from '../support/api-harness.js';
import { inFull } from '../support/in-full.js';
import { RedisServer } from '../support/redis-server.js';
import { raised } from '../support/store-harness.js';

// biome-ignore lint/suspicious/noExplicitAny: the package brings no types
const sdk: any = createRequire(import.meta.url)('facebook-nodejs-business-sdk');

describe.each(['lmdb', 'redis'])('%s', (kind) => {
  let redis: RedisServer | undefined;
  let harness: ApiHarness;
  // biome-ignore lint/suspicious/noExplicitAny: the package brings no types
  let api: any;

  beforeAll(async () => {
    redis = kind === 'redis' ? await RedisServer.start() : undefined;
    harness = await ApiHarness.open({}, redis?.url);
    Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { configurable: true, get: () => harness.url });
    api = sdk.FacebookAdsApi.init(harness.token, 'en_US', false);
  });
  afterAll(async () => {
    await harness?.close();
    await redis?.stop();
  });

  test('creates, reads, updates and deletes a broadcast', async () => {
    const page = new sdk.Page(harness.page);
    const { Fields, Status } = sdk.LiveVideo;
    const made = await page.createLiveVideo([], { title: 'From a client', status: Status.unpublished });
    expect(made.id).toMatch(/^\d+$/);

    const live = await new sdk.LiveVideo(made.id).get([
      Fields.title,
      Fields.status,
      Fields.secure_stream_url,
      Fields.video,
    ]);
    expect(live._data).toMatchObject({ title: 'From a client', status: 'UNPUBLISHED' });
    expect(live.secure_stream_url).toContain(`/live/${made.id}-`);

    await new sdk.LiveVideo(made.id).update([], { description: 'Changed', status: Status.live_now });
    await harness.goLive(made.id);
    const listed = await page.getLiveVideos([Fields.status], { broadcast_status: ['LIVE'] });
    expect(listed.map((each: { id: string }) => each.id)).toContain(made.id);

    await harness.store.records.append([raised(made.id, 1, 1), raised(made.id, 1, 2)]);
    const errors = await new sdk.LiveVideo(made.id).getErrors(['error_code', 'error_message'], { limit: 1 });
    expect(errors[0]._data).toMatchObject({ error_code: 6208, id: `${made.id}_1_2` });
    expect(errors.hasNext()).toBe(true);
    await errors.next();
    expect(errors[0]._data.id).toBe(`${made.id}_1_1`);
    expect(errors.hasNext()).toBe(false);

    const poll = await new sdk.LiveVideo(made.id).createPoll([], { question: 'Tea?', options: ['yes', 'no'] });
    await new sdk.VideoPoll(poll.id).update([], { action: 'SHOW_VOTING' });
    const options = await new sdk.VideoPoll(poll.id).getPollOptions(['text', 'order']);
    expect(options.map((each: { text: string }) => each.text)).toEqual(['yes', 'no']);
    await new sdk.VideoPoll(poll.id).update([], { action: sdk.VideoPoll.Action.close });
    expect((await new sdk.VideoPoll(poll.id).get(['status'])).status).toBe('closed');

    await new sdk.LiveVideo(made.id).update([], { end_live_video: true });
    expect((await new sdk.LiveVideo(made.id).get(['status'])).status).toBe('LIVE_STOPPED');
    expect(await new sdk.LiveVideo(made.id).delete([], {})).toMatchObject({ success: true });
    await expect(new sdk.LiveVideo(made.id).get(['status'])).rejects.toMatchObject({
      status: 400,
      response: { code: 100, error_subcode: 'LIVE_VIDEO__NOT_EXIST', type: 'GraphMethodException' },
    });
  });

  inFull('creates comments and reads them page by page', async () => {
    const video = await harness.video();
    for (let n = 0; n < 250; n += 1) await api.call('POST', [video, 'comments'], { message: `No ${n}` });
    const cursor = await new sdk.AdVideo(video).getEdge(
      sdk.Comment,
      ['message'],
      { limit: 100, summary: true },
      true,
      '/comments',
    );
    const messages: string[] = cursor.map((each: { message: string }) => each.message);
    expect(cursor.summary.total_count).toBe(250);
    while (cursor.hasNext()) {
      await cursor.next();
      messages.push(...cursor.map((each: { message: string }) => each.message));
    }
    expect(messages).toEqual(Array.from({ length: 250 }, (_, n) => `No ${n}`));
    await cursor.previous();
    expect(cursor[0].message).toBe('No 100');
    await new sdk.Comment(cursor[0].id).delete([], {});
    expect((await new sdk.AdVideo(video).getEdge(sdk.Comment, [], {}, true, '/comments')).length).toBe(25);
  });

  test('sends a batch of calls', async () => {
    const live = await harness.live({ title: 'In a batch' });
    const batch = new sdk.FacebookAdsApiBatch(api);
    const bodies: unknown[] = [];
    const keep = (response: { body: unknown }) => bodies.push(response.body);
    batch.add('GET', [live], { fields: 'title' }, {}, keep);
    batch.add('POST', [live], { title: 'Changed here' }, {}, keep);
    batch.add('GET', ['me'], {}, {}, keep);
    await batch.execute();
    expect(bodies).toEqual([{ title: 'In a batch', id: live }, { id: live }, { id: harness.user, name: 'Uma User' }]);
  });

  test('reports an invalid token', async () => {
    const other = new sdk.FacebookAdsApi('wrong', 'en_US', false);
    await expect(other.call('GET', ['me'])).rejects.toMatchObject({ status: 401, response: { code: 190 } });
  });
});
