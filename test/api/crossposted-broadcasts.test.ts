/** A broadcast that is cross-posted appears at the other Page while it is live, and its recording afterwards. */
import { edgeOf, TOPIC } from '../../src/ports/index.js';
import { ApiHarness } from '../support/api-harness.js';
import { raised, until } from '../support/store-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const action = (page: string, what = 'ENABLE_CROSSPOSTING') => JSON.stringify([{ page_id: page, action: what }]);

/** A Page of the stranger that is paired with the Page for broadcasts. */
async function partnerPage(allowLive = true): Promise<string> {
  const partner = await harness.owner({ kind: 'page', name: 'Paul Partner', managerId: harness.stranger });
  const ask = (id: string) => JSON.stringify([{ partner_page_id: id, allow_live: allowLive }]);
  await harness.post(`/${harness.page}`, { begin_crossposting_handshake: ask(partner) });
  const accept = { accept_crossposting_handshake: ask(harness.page) };
  await harness.post(`/${partner}`, accept, { token: harness.strangerToken });
  return partner;
}

const theirs = { token: '' };
beforeAll(() => {
  theirs.token = harness.strangerToken;
});

async function copyOf(live: string, fields = 'id,status,video,from{id}') {
  return (await harness.get(`/${live}/crossposted_broadcasts`, { fields })).body.data[0];
}

test('a copy appears at the Page, follows the status, and keeps the recording', async () => {
  const partner = await partnerPage();
  const live = await harness.live({ title: 'Match', crossposting_actions: action(partner) });
  const copy = await copyOf(live);
  expect(copy).toEqual({
    id: expect.any(String),
    status: 'UNPUBLISHED',
    video: expect.anything(),
    from: { id: partner },
  });
  const listed = async (edge: string, token = harness.token) =>
    (await harness.get(`/${partner}/${edge}`, { fields: 'id,title' }, { token })).body.data;
  // Before it airs only the partner sees its copy, without a stream key.
  expect(await listed('live_videos')).toEqual([]);
  expect(await listed('live_videos', theirs.token)).toEqual([{ id: copy.id, title: 'Match' }]);
  const own = (await harness.get(`/${copy.id}`, { fields: 'stream_url,secure_stream_url,ingest_streams' }, theirs))
    .body;
  expect(own).toEqual({ ingest_streams: [], id: copy.id });

  const states: unknown[] = [];
  const stop = harness.store.bus.subscribe(TOPIC.state, (message) => {
    const { liveVideoId, ownerId, status } = message as { liveVideoId: string; ownerId: string; status: string };
    if (liveVideoId === copy.id) states.push([ownerId, status]);
  });
  await harness.goLive(live);
  await until(async () => states.some((state) => JSON.stringify(state) === JSON.stringify([partner, 'LIVE'])));
  stop();
  expect((await harness.get(`/${partner}/live_videos`, { broadcast_status: 'LIVE', fields: 'id' })).body.data).toEqual([
    { id: copy.id },
  ]);
  const fields = 'status,broadcast_start_time,title,live_views,hls_preview_url';
  const [shown, original] = await Promise.all([copy.id, live].map((id) => harness.get(`/${id}`, { fields })));
  expect({ ...shown?.body, id: live }).toEqual(original?.body);
  expect(await listed('videos')).toEqual([{ id: copy.video.id, title: 'Match' }]);

  await harness.endTo(live, 'VOD');
  expect((await harness.get(`/${copy.id}`, { fields: 'status' })).body.status).toBe('VOD');
  const video = (await harness.get(`/${live}`, { fields: 'video{status{video_status},id}' })).body.video;
  const recording = await harness.get(`/${copy.video.id}`, { fields: 'is_crosspost_video,status{video_status}' });
  expect(recording.body).toMatchObject({ is_crosspost_video: true, status: video.status });

  // The live video goes, the recording and its copy stay; both go with the Video.
  expect((await harness.delete(`/${live}`)).body).toMatchObject({ kept_video_id: video.id });
  expect((await harness.get(`/${copy.id}`)).body.error).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
  expect((await harness.get(`/${copy.video.id}`)).status).toBe(200);
  await harness.delete(`/${video.id}`);
  expect((await harness.get(`/${copy.video.id}`)).body.error).toMatchObject({ code: 100 });
  expect(await listed('live_videos', theirs.token)).toEqual([]);
});

test('enabled while it is LIVE, it appears at once; disabled, it is gone', async () => {
  const partner = await partnerPage();
  const live = await harness.live();
  await harness.goLive(live);
  expect(await copyOf(live)).toBeUndefined();
  expect((await harness.post(`/${live}`, { crossposting_actions: action(partner) })).status).toBe(200);
  // Asked twice, there is one.
  await harness.post(`/${live}`, { crossposting_actions: action(partner) });
  const copies = (await harness.get(`/${live}/crossposted_broadcasts`, { fields: 'status,id' })).body.data;
  expect(copies).toEqual([{ status: 'LIVE', id: expect.any(String) }]);
  await harness.post(`/${live}`, { crossposting_actions: action(partner, 'DISABLE_CROSSPOSTING') });
  expect(await copyOf(live)).toBeUndefined();
  for (const edge of ['live_videos', 'videos']) {
    expect((await harness.get(`/${partner}/${edge}`, {}, theirs)).body.data).toEqual([]);
  }
  expect((await harness.get(`/${live}`, { fields: 'status' })).body.status).toBe('LIVE');
});

test('the reader of the other Page reads the errors of the stream, not who tried its key', async () => {
  const partner = await partnerPage();
  const live = await harness.live({ crossposting_actions: action(partner) });
  await harness.goLive(live);
  const copy = await copyOf(live);
  await harness.store.records.append([raised(live, 1, 1)]);
  await harness.engine.admit(await harness.keyOf(live), 'live', { address: '192.0.2.7', encoder: 'x' });
  const read = (id: string, ask: { token?: string }) => harness.get(`/${id}/errors`, {}, ask);
  for (const id of [copy.id, copy.video.id]) {
    const seen = (await read(id, theirs)).body.data;
    expect(seen).toMatchObject([{ source: 'stream', error_code: raised(live, 1, 1).change.body.error_code }]);
    const subject = (await harness.get(`/${id}/errors`, { fields: 'broadcast_id,video_id' }, theirs)).body.data[0];
    expect(subject).toMatchObject({ broadcast_id: copy.id, video_id: copy.video.id });
  }
  // Another's errors stay another's, in both directions.
  expect((await read(live, theirs)).body.error).toMatchObject({ code: 200 });
  expect((await read(copy.id, {})).body.error).toMatchObject({ code: 200 });
});

test('a stop for copyright hides the copies too', async () => {
  const partner = await partnerPage();
  const live = await harness.live({ crossposting_actions: action(partner) });
  await harness.goLive(live);
  const copy = await copyOf(live);
  expect((await harness.get(`/${copy.id}`)).status).toBe(200);
  await harness.broadcasts.request(live, { type: 'copyright-stop', pageName: 'Another Page' });
  for (const id of [copy.id, copy.video.id]) {
    expect((await harness.get(`/${id}`)).body.error).toMatchObject({ error_subcode: 33 });
  }
});

test('the Page of a copy changes its texts and deletes it, and nothing else', async () => {
  const partner = await partnerPage();
  const live = await harness.live({ title: 'Ours', crossposting_actions: action(partner) });
  const copy = await copyOf(live);
  expect((await harness.post(`/${copy.id}`, { title: 'Theirs' }, theirs)).status).toBe(200);
  await harness.goLive(live);
  expect((await harness.get(`/${copy.id}`, { fields: 'title,status' })).body).toMatchObject({
    title: 'Theirs',
    status: 'LIVE',
  });
  for (const params of [
    { end_live_video: 'true' },
    { status: 'LIVE_NOW' },
    { persistent_stream_key_status: 'ENABLE' },
  ]) {
    const refused = await harness.post(`/${copy.id}`, params, theirs);
    expect(refused.body.error.message).toContain(`is for the original of this cross-posted broadcast, ${live}`);
  }
  expect((await harness.post(`/${copy.id}/input_streams`, {}, theirs)).body.error).toMatchObject({ code: 100 });
  expect((await harness.get(`/${copy.id}/obs_profile`, {}, theirs)).body.error).toMatchObject({ code: 100 });
  await expect(harness.broadcasts.request(copy.id, { type: 'end' })).rejects.toThrow('follows its original');
  const made = (await harness.store.objects.get(copy.id)) as Parameters<typeof harness.broadcasts.urls>[0];
  const key = harness.broadcasts.urls(made).key;
  const from = { address: '192.0.2.8', encoder: 'x' };
  expect(await harness.engine.admit(key, 'live', from)).toMatchObject({ accepted: false });

  expect((await harness.delete(`/${copy.video.id}`, theirs)).body.error).toMatchObject({
    error_subcode: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED',
  });
  expect((await harness.delete(`/${copy.id}`, theirs)).body).toEqual({ success: true });
  expect(await copyOf(live)).toBeUndefined();
  expect(await harness.store.objects.get(copy.video.id)).toBeUndefined();
  expect((await harness.get(`/${live}`, { fields: 'status' })).body.status).toBe('LIVE');
  await harness.endTo(live, 'VOD');
  expect(await harness.store.objects.get(copy.id)).toBeUndefined();
});

test('a pair that is not for broadcasts refuses the whole request', async () => {
  const partner = await partnerPage(false);
  const before = (await harness.store.objects.page(edgeOf(harness.page, 'live_videos'), { limit: 100 })).entries.length;
  const refused = await harness.post(`/${harness.page}/live_videos`, { crossposting_actions: action(partner) });
  expect(refused.body.error).toMatchObject({ code: -1, error_subcode: 1363103 });
  const after = await harness.store.objects.page(edgeOf(harness.page, 'live_videos'), { limit: 100 });
  expect(after.entries).toHaveLength(before);
});
