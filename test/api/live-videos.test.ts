import { edgeOf } from '../../src/ports/index.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';
import { entry, raised, recordBody } from '../support/store-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

describe('creating and reading live videos', () => {
  test.each(['page', 'group', 'user'] as const)('a %s creates a live video and reads it', async (kind) => {
    const made = await harness.post(`/v24.0/${harness[kind]}/live_videos`, {
      title: 'Hello',
      description: 'There',
      status: 'UNPUBLISHED',
      privacy: '{"value":"EVERYONE"}',
    });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      stream_url: expect.stringMatching(/^rtmps:\/\/localhost:1936\/live\//),
      secure_stream_url: made.body.stream_url,
      stream_secondary_urls: [],
      secure_stream_secondary_urls: [],
    });
    expect(made.body.secure_stream_url).toContain(`/live/${made.body.id}-`);
    const read = await harness.get(`/${made.body.id}`, {
      fields: 'title,description,status,from,video,privacy{value}',
    });
    expect(read.status).toBe(200);
    expect(read.body).toEqual({
      title: 'Hello',
      description: 'There',
      status: 'UNPUBLISHED',
      from: { name: expect.any(String), id: harness[kind] },
      video: { id: expect.stringMatching(/^\d+$/) },
      privacy: { value: 'EVERYONE' },
      id: made.body.id,
    });
    expect(Object.keys(read.body)).toEqual(['title', 'description', 'status', 'from', 'video', 'privacy', 'id']);
  });

  test('the default fields are returned without fields', async () => {
    const id = await harness.live();
    const { body } = await harness.get(`/${id}`);
    expect(Object.keys(body)).toEqual(['id', 'status', 'title', 'stream_url', 'secure_stream_url', 'embed_html']);
  });

  test('an update is visible in the next read', async () => {
    const id = await harness.live({ status: 'UNPUBLISHED' });
    expect((await harness.post(`/${id}`, { title: 'New' })).body).toEqual({ id });
    const after = await harness.post(`/${id}`, { description: 'Words', fields: 'title,description' });
    expect(after.body).toEqual({ title: 'New', description: 'Words', id });
  });

  test('a live video in a group has the privacy of the group', async () => {
    const closed = await harness.owner({ kind: 'group', name: 'Few', privacy: 'CLOSED', managerId: harness.user });
    const wanted = { privacy: 'EVERYONE', fields: 'privacy{value,description}' };
    for (const [group, value, description] of [
      [harness.group, 'EVERYONE', 'Public'],
      [closed, 'CUSTOM', 'Few'],
    ] as const) {
      const live = await harness.post(`/${group}/live_videos`, wanted);
      expect(live.body.privacy).toEqual({ value, description });
      const { video } = (await harness.get(`/${live.body.id}`, { fields: 'video' })).body;
      expect((await harness.post(`/${video.id}`, wanted)).body.privacy).toEqual({ value, description });
      await harness.goLive(live.body.id);
      const seen = (await harness.get(`/${live.body.id}`, {}, { token: harness.strangerToken })).status;
      expect(seen).toBe(value === 'EVERYONE' ? 200 : 400);
      await harness.delete(`/${live.body.id}`);
      const after = await harness.get(`/${live.body.id}`, {}, { token: harness.strangerToken });
      expect(errorOf(after).error_subcode).toBe(value === 'EVERYONE' ? 'LIVE_VIDEO__NOT_EXIST' : 33);
    }
  });

  test.each([['{bad'], ['[1]'], ['x']])('targeting %s is refused', async (targeting) => {
    const refused = await harness.post(`/${harness.page}/live_videos`, { targeting });
    expect(errorOf(refused).message).toBe('(#100) Param targeting must be an object');
  });

  test('shared fields of a broadcast are copied to its Video', async () => {
    const id = await harness.live({ content_tags: '1,2' });
    const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
    const fields = 'content_tags,custom_labels,embeddable,embed_html,tags{id},sponsor_tags{id}';
    expect((await harness.get(`/${video.id}`, { fields })).body).toMatchObject({ content_tags: ['1', '2'] });
    await harness.goLive(id);
    await harness.endTo(id, 'VOD');
    expect((await harness.get(`/${id}`)).body.embed_html).toContain('<iframe');
    await harness.post(`/${id}`, {
      embeddable: 'false',
      custom_labels: 'a,b',
      tags: harness.stranger,
      sponsor_id: harness.page,
    });
    expect((await harness.get(`/${id}`)).body.embed_html).toBe('');
    const read = (await harness.get(`/${video.id}`, { fields })).body;
    expect(read).toMatchObject({ custom_labels: ['a', 'b'], embeddable: false });
    expect([read.tags.data, read.sponsor_tags.data]).toEqual([[{ id: harness.stranger }], [{ id: harness.page }]]);
    expect(read).not.toHaveProperty('embed_html');
    await harness.post(`/${video.id}`, { custom_labels: 'c' });
    expect((await harness.get(`/${id}`, { fields: 'custom_labels' })).body.custom_labels).toEqual(['c']);
    for (const wrong of [{ sponsor_id: harness.user }, { tags: video.id }]) {
      expect(errorOf(await harness.post(`/${id}`, { title: 'Not set', ...wrong }))).toMatchObject({ code: 100 });
    }
    expect((await harness.get(`/${id}`)).body.title).toBe('A broadcast');
  });

  test('live videos of an owner are listed newest first and filtered by status', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Listed', managerId: harness.user });
    const ids: string[] = [];
    for (const status of ['UNPUBLISHED', 'LIVE_NOW', 'UNPUBLISHED']) {
      ids.unshift(await harness.live({ status }, page));
      harness.clock.advance(5);
    }
    await harness.goLive(ids[1]!);
    const all = await harness.get(`/${page}/live_videos`, { fields: 'id' });
    expect(all.body.data.map((each: { id: string }) => each.id)).toEqual(ids);
    const live = await harness.get(`/${page}/live_videos`, { fields: 'id', broadcast_status: '["LIVE"]' });
    expect(live.body.data).toEqual([{ id: ids[1] }]);
    const bare = await harness.get(`/${page}/live_videos`, { fields: 'id', broadcast_status: 'unpublished' });
    expect(bare.body.data).toEqual([{ id: ids[0] }, { id: ids[2] }]);
  });

  test('input streams omit health while no encoder is connected, and include a backup', async () => {
    const id = await harness.live();
    const list = await harness.get(`/${id}/input_streams`);
    expect(list.body.data).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        stream_id: '0',
        stream_url: expect.stringContaining(id),
        secure_stream_url: expect.stringContaining(id),
        is_master: true,
      },
    ]);
    const one = await harness.get(`/${list.body.data[0].id}`, { fields: 'stream_id' });
    expect(one.body).toEqual({ stream_id: '0', id: list.body.data[0].id });
    const backup = await harness.post(`/${id}/input_streams`);
    expect(backup.body).toEqual({ id: expect.stringMatching(/^\d+$/) });
    const bare = await harness.get(`/${id}`, { fields: 'ingest_streams{stream_id}' });
    expect(bare.body.ingest_streams.map((each: { stream_id: string }) => each.stream_id)).toEqual(['0', '1']);
    expect(errorOf(await harness.post(`/${id}/input_streams`))).toMatchObject({ code: 100, type: 'OAuthException' });
  });

  test('a backup input stream has a key of its own, however it was asked for', async () => {
    const created = await harness.post(`/${harness.page}/live_videos`, { enable_backup_ingest: 'true' });
    const { id, secure_stream_url: first } = created.body;
    const [second] = created.body.secure_stream_secondary_urls;
    expect(second).toContain(`/${id}-`);
    expect(second).not.toBe(first);
    const fields = 'stream_url,stream_secondary_urls,secure_stream_secondary_urls';
    const urls = { stream_url: first, stream_secondary_urls: [second], secure_stream_secondary_urls: [second], id };
    expect((await harness.get(`/${id}`, { fields })).body).toEqual(urls);
    const streams = await harness.get(`/${id}/input_streams`, { fields: 'stream_id,secure_stream_url,is_master' });
    expect(streams.body.data).toMatchObject([
      { stream_id: '0', secure_stream_url: first, is_master: true },
      { stream_id: '1', secure_stream_url: second, is_master: false },
    ]);

    const added = await harness.live();
    const bare = { stream_secondary_urls: [], secure_stream_secondary_urls: [] };
    expect((await harness.get(`/${added}`, { fields })).body).toMatchObject(bare);
    await harness.post(`/${added}/input_streams`);
    const filled = (await harness.get(`/${added}`, { fields })).body;
    expect(filled.stream_secondary_urls).toEqual([expect.stringContaining(`/${added}-`)]);
    expect(filled.stream_secondary_urls).not.toContain(filled.stream_url);
  });

  test('the persistent key of a Page has a backup where its live video has one', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Two encoders', managerId: harness.user });
    const enable = { persistent_stream_key_status: 'ENABLE' };
    const alone = (await harness.post(`/${await harness.live({}, page)}`, enable)).body;
    expect(alone.backup_persistent_stream_url).toBe(alone.persistent_stream_url);
    const both = (await harness.post(`/${await harness.live({ enable_backup_ingest: 'true' }, page)}`, enable)).body;
    expect(both.persistent_stream_url).toBe(alone.persistent_stream_url);
    expect(both.backup_persistent_stream_url).toContain(`/${page}-`);
    expect(both.backup_persistent_stream_url).not.toBe(both.persistent_stream_url);
  });

  test('an input stream is put on air only while an encoder publishes to it', async () => {
    const id = await harness.live({ enable_backup_ingest: 'true', backup_return: 'auto' });
    const [first, second] = (await harness.get(`/${id}/input_streams`)).body.data;
    expect([first, second]).toMatchObject([{ on_air: false }, { on_air: false }]);
    expect(errorOf(await harness.post(`/${second.id}`, { on_air: 'true' }))).toMatchObject({ code: 100 });
    expect(errorOf(await harness.post(`/${first.id}`, { on_air: 'false' }))).toMatchObject({ code: 100 });
    expect((await harness.post(`/${first.id}`, {})).body).toEqual({ success: true });
    expect(errorOf(await harness.post(`/${id}`, { backup_return: 'sometimes' }))).toMatchObject({ code: 100 });
    expect((await harness.post(`/${id}`, { backup_return: 'manual' })).body).toEqual({ id });
  });

  test('the OBS profile is for either input stream', async () => {
    const id = await harness.live({ enable_backup_ingest: 'true' });
    const of = async (input: object) => (await harness.get(`/${id}/obs_profile`, { type: 'json', ...input })).body;
    const { key } = harness.broadcasts.urls((await harness.store.objects.get(id))! as never, '1');
    expect(JSON.stringify(await of({ input: '1' }))).toContain(key);
    expect(JSON.stringify(await of({}))).not.toContain(key);
    const alone = await harness.get(`/${await harness.live()}/obs_profile`, { type: 'json', input: '1' });
    expect(errorOf(alone)).toMatchObject({ code: 100 });
  });

  test('recommended encoder settings come from the specification', async () => {
    const id = await harness.live();
    const { body } = await harness.get(`/${id}`, { fields: 'recommended_encoder_settings' });
    expect(body.recommended_encoder_settings).toMatchObject({
      streaming_protocol: 'rtmps',
      video_codec_settings: { video_width: 1280, video_height: 720, video_framerate: 30, video_gop_size: 60 },
      audio_codec_settings: { audio_bitrate: 128, audio_channels: 2, audio_samplerate: 48000 },
    });
  });
});

describe('lifecycle', () => {
  test('a live video goes live and ends, and invalid transitions are refused', async () => {
    const id = await harness.live({ status: 'LIVE_NOW' });
    await harness.goLive(id);
    expect((await harness.get(`/${id}`, { fields: 'status,seconds_left' })).body).toMatchObject({ status: 'LIVE' });
    expect((await harness.post(`/${id}`, { end_live_video: 'true' })).body).toEqual({ id });
    expect((await harness.get(`/${id}`, { fields: 'status,seconds_left' })).body).toMatchObject({
      status: 'LIVE_STOPPED',
      seconds_left: 0,
    });
    const again = await harness.post(`/${id}`, { status: 'LIVE_NOW' });
    expect(again.status).toBe(400);
    expect(errorOf(again)).toMatchObject({ code: 100, message: expect.stringContaining('LIVE_STOPPED') });
  });

  test('ending a live video that is not running is refused', async () => {
    const id = await harness.live({ status: 'UNPUBLISHED' });
    const refused = (params: Record<string, string>) => harness.post(`/${id}`, params).then(errorOf);
    expect(await refused({ end_live_video: 'true' })).toMatchObject({
      code: 100,
      message: '(#100) The live video is UNPUBLISHED and cannot be ended',
    });
    expect(await refused({ status: 'SCHEDULED_LIVE' })).toMatchObject({
      message: '(#100) The live video is UNPUBLISHED and cannot become SCHEDULED_LIVE',
    });
  });

  test('a live video is scheduled within 7 days and canceled', async () => {
    const soon = Math.floor(harness.clock.wallMs() / 1000) + 3600;
    const id = await harness.live({ event_params: JSON.stringify({ start_time: soon }) });
    const read = await harness.get(`/${id}`, { fields: 'status,planned_start_time', date_format: 'U' });
    expect(read.body).toMatchObject({ status: 'SCHEDULED_UNPUBLISHED', planned_start_time: soon });
    for (const start of [soon - 7200, soon + 8 * 86_400]) {
      const refused = await harness.post(`/${harness.page}/live_videos`, { event_params: String(start) });
      expect(errorOf(refused)).toMatchObject({ code: 1000, type: 'OAuthException' });
    }
    await harness.post(`/${id}`, { status: 'SCHEDULED_CANCELED' });
    expect((await harness.get(`/${id}`, { fields: 'status' })).body.status).toBe('SCHEDULED_CANCELED');
  });

  test('going live without privacy or eligibility is refused', async () => {
    const bare = await harness.post(`/${harness.user}/live_videos`, { status: 'LIVE_NOW' });
    expect(bare.status).toBe(400);
    expect(errorOf(bare)).toMatchObject({ code: 100, error_subcode: 'LIVE_VIDEO__PRIVACY_REQUIRED' });
    const young = await harness.owner({ kind: 'user', name: 'Young', profileAgeDays: 59, followers: 1000 });
    const few = await harness.owner({ kind: 'user', name: 'Few', profileAgeDays: 60, followers: 99 });
    for (const [owner, subcode] of [
      [young, 1363120],
      [few, 1363144],
    ] as const) {
      const refused = await harness.post(
        `/${owner}/live_videos`,
        { status: 'LIVE_NOW', privacy: 'EVERYONE' },
        { token: await harness.tokenOf(owner) },
      );
      expect(refused.status).toBe(403);
      expect(errorOf(refused)).toMatchObject({
        code: 200,
        error_subcode: subcode,
        message: 'Permissions error',
        type: 'OAuthException',
        error_user_title: expect.stringMatching(/not eligible to go live/i),
      });
    }
  });

  test('a profile that is not eligible is told at creation when the live video would go LIVE by itself', async () => {
    const young = await harness.owner({ kind: 'user', name: 'Young', profileAgeDays: 59, followers: 1000 });
    const few = await harness.owner({ kind: 'user', name: 'Few', profileAgeDays: 60, followers: 99 });
    const soon = Math.floor(harness.clock.wallMs() / 1000) + 2 * 86_400;
    const hence = (seconds: number) => ({
      status: 'SCHEDULED_UNPUBLISHED',
      planned_start_time: String(soon + seconds),
    });
    for (const [owner, params, subcode] of [
      [young, {}, 1363120],
      [few, {}, 1363144],
      [few, { published: 'true', privacy: 'EVERYONE' }, 1363144],
      [few, { ...hence(0), status: 'SCHEDULED_LIVE' }, 1363144],
      [young, hence(-86_400 - 3_600), 1363120],
      // Eligible until then, or perhaps.
      [young, hence(0), undefined],
      [few, hence(0), undefined],
      // A preview never goes LIVE by itself.
      [young, { status: 'UNPUBLISHED' }, undefined],
      // An eligible profile may set its privacy later.
      [harness.user, {}, undefined],
    ] as const) {
      const reply = await harness.post('/me/live_videos', params, { token: await harness.tokenOf(owner) });
      const code = subcode === undefined ? undefined : 200;
      expect([params, reply.body.error?.code, reply.body.error?.error_subcode]).toEqual([params, code, subcode]);
    }
    expect((await harness.store.objects.page(edgeOf(young, 'live_videos'), { limit: 9 })).entries).toHaveLength(2);
  });

  test('a profile that is not eligible is told when it schedules a live video to go LIVE', async () => {
    const few = await harness.owner({ kind: 'user', name: 'Few', profileAgeDays: 58, followers: 99 });
    const token = await harness.tokenOf(few);
    const { id } = (await harness.post('/me/live_videos', { status: 'UNPUBLISHED' }, { token })).body;
    const days = (count: number) => String(Math.floor(harness.clock.wallMs() / 1000) + count * 86_400);
    const early = await harness.post(`/${id}`, { planned_start_time: days(1) }, { token });
    expect(errorOf(early)).toMatchObject({ code: 200, error_subcode: 1363120 });
    expect((await harness.post(`/${id}`, { planned_start_time: days(3) }, { token })).status).toBe(200);
    const live = await harness.post(`/${id}`, { status: 'SCHEDULED_LIVE' }, { token });
    expect(errorOf(live)).toMatchObject({ code: 200, error_subcode: 1363120 });
    const { status } = (await harness.get(`/${id}`, { fields: 'status' }, { token })).body;
    expect(status).toBe('SCHEDULED_UNPUBLISHED');
  });

  test('a deleted id gives LIVE_VIDEO__NOT_EXIST, only to viewers who could see the live video', async () => {
    const id = await harness.live({ status: 'UNPUBLISHED' });
    expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
    const gone = await harness.get(`/${id}`);
    expect(gone.status).toBe(400);
    const told = {
      code: 100,
      error_subcode: 'LIVE_VIDEO__NOT_EXIST',
      type: 'GraphMethodException',
      message: expect.stringMatching(/^\(#100\) The live video existed and was deleted at \d{4}-.*\+0000\.$/),
      error_data: { subcode: 1390006, deleted_time: expect.stringMatching(/^\d{4}-.*\+0000$/) },
    };
    for (const path of [`/${id}`, `/${id}/comments`, `/${id}/input_streams`]) {
      expect(errorOf(await harness.get(path))).toMatchObject(told);
    }
    // One that never was does not say so.
    expect(errorOf(await harness.get('/12345/input_streams'))).toMatchObject({
      error_subcode: 'LIVE_VIDEO__NOT_EXIST',
      message: '(#100) No live video with this ID.',
      error_data: { subcode: 1390006 },
    });
    const hidden = await harness.get(`/${id}/input_streams`, {}, { token: harness.strangerToken });
    expect(errorOf(hidden).message).toBe('(#100) No live video with this ID.');
    expect(errorOf(await harness.get(`/${id}`, {}, { token: harness.strangerToken }))).toMatchObject({
      error_subcode: 33,
    });
  });

  test('deleting while the recording is processed is LIVE_VIDEO__DELETE_FAILED', async () => {
    const id = await harness.live();
    await harness.goLive(id);
    const poll = (await harness.post(`/${id}/polls`, { question: 'Q', options: 'a,b' })).body.id;
    await harness.endTo(id, 'PROCESSING');
    const refused = await harness.ask('POST', `/${id}`, { query: { method: 'delete' } });
    expect(refused.status).toBe(500);
    expect(errorOf(refused)).toMatchObject({ code: 1, error_subcode: 'LIVE_VIDEO__DELETE_FAILED', is_transient: true });
    expect((await harness.get(`/${id}/polls`)).body.data).toEqual([{ id: poll, question: 'Q', status: 'closed' }]);
  });

  test('polls of the broadcast survive with the recording when the live video is deleted', async () => {
    const id = await harness.live();
    await harness.goLive(id);
    const made = (await harness.post(`/${id}/polls`, { question: 'Q', options: 'a,b' })).body;
    await harness.endTo(id, 'VOD');
    const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
    await harness.delete(`/${id}`);
    const list = await harness.get(`/${video.id}/polls`, { fields: 'poll_options{text}' });
    expect(list.body.data).toMatchObject([{ id: made.id, poll_options: { data: [{ text: 'a' }, { text: 'b' }] } }]);
    const option = made.option_ids[0];
    expect((await harness.get(`/${option}`, {}, { token: harness.strangerToken })).status).toBe(200);
    expect((await harness.post(`/${made.id}`, { action: 'SHOW_VOTING' })).status).toBe(200);
    await harness.delete(`/${video.id}`);
    for (const gone of [made.id, option]) expect(await harness.store.objects.get(gone)).toBeUndefined();
  });

  test('a recording of before recordings were turned off stays, and its Video is processing until it is made', async () => {
    const id = await harness.live();
    await harness.goLive(id);
    await harness.endTo(id, 'LIVE_STOPPED');
    const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
    const begun = { op: 'edgeAdd', ...edgeOf(id, 'segments'), member: '1.flv', score: 1 } as const;
    await harness.store.objects.commit([begun]);
    harness.settings.record = false;
    const { body } = await harness.delete(`/${id}`);
    harness.settings.record = true;
    expect(body).toEqual({ success: true, kept_video_id: video.id });
    expect((await harness.get(`/${video.id}`, { fields: 'status' })).body.status.video_status).toBe('processing');
  });

  test('a live video that has expired is deleted with its Video', async () => {
    const planned_start_time = String(Math.round(harness.clock.wallMs() / 1_000) + 3_600);
    const id = await harness.live({ status: 'SCHEDULED_UNPUBLISHED', planned_start_time });
    const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
    for (const status of ['SCHEDULED_LIVE', 'SCHEDULED_EXPIRED']) {
      await harness.states.move(id, { type: 'deadline', wallMs: harness.clock.wallMs(), dataFlows: false });
      expect((await harness.get(`/${id}`, { fields: 'status' })).body.status).toBe(status);
    }
    expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
    for (const gone of [id, video.id]) expect(await harness.store.objects.get(gone)).toBeUndefined();
  });

  test('a live video that goes LIVE while the deletion of its Video is decided is not deleted', async () => {
    const id = await harness.live({ status: 'UNPUBLISHED' });
    const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
    const { endForDeletion } = harness.broadcasts;
    harness.broadcasts.endForDeletion = async (...args) => {
      await harness.broadcasts.request(id, { type: 'go-live' });
      await harness.goLive(id);
      return endForDeletion.apply(harness.broadcasts, args);
    };
    const refused = await harness.delete(`/${video.id}`);
    harness.broadcasts.endForDeletion = endForDeletion;
    expect(errorOf(refused)).toMatchObject({ error_subcode: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED' });
    expect((await harness.get(`/${id}`, { fields: 'status,video' })).body).toMatchObject({ status: 'LIVE', video });
  });

  test('polls of a broadcast without a recording are deleted with it', async () => {
    const id = await harness.live();
    await harness.goLive(id);
    const made = (await harness.post(`/${id}/polls`, { question: 'Q', options: 'a,b' })).body;
    await harness.endTo(id, 'LIVE_STOPPED');
    harness.settings.record = false;
    await harness.delete(`/${id}`);
    harness.settings.record = true;
    for (const gone of [made.id, ...made.option_ids]) expect(await harness.store.objects.get(gone)).toBeUndefined();
  });
});

describe('error records', () => {
  test('are read newest first by live video id, by video id and as a field', async () => {
    const id = await harness.live();
    await harness.store.records.append([raised(id, 1, 1), raised(id, 1, 2, { error_code: 6301, severity: 'warning' })]);
    const list = await harness.get(`/${id}/errors`);
    expect(list.status).toBe(200);
    expect(list.body.data.map((each: { sequence: number }) => each.sequence)).toEqual([2, 1]);
    expect(list.body.data[1]).toMatchObject({
      id: `${id}_1_1`,
      error_code: 6208,
      error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
      description: list.body.data[1].error_message,
      creation_time: '2023-11-14T22:13:20+0000',
      timestamp: '2023-11-14T22:13:20.001Z',
      observed: 6000,
      limit: 4000,
    });
    const video = (await harness.get(`/${id}`, { fields: 'video' })).body.video.id;
    expect((await harness.get(`/${video}/errors`)).body.data).toEqual(list.body.data);
    const field = await harness.get(`/${id}`, { fields: 'errors.limit(1){error_code}' });
    expect(field.body.errors.data).toEqual([{ error_code: 6301, id: `${id}_1_2` }]);
    expect(field.body.id).toBe(id);
  });

  test('are filtered by severity, state and time', async () => {
    const id = await harness.live();
    await harness.store.records.append([
      raised(id, 1, 1, { severity: 'warning', timestampMs: 1_700_000_000_000 }),
      raised(id, 1, 2, { timestampMs: 1_700_000_100_000, cleared_time_ms: 1_700_000_105_000 }),
      raised(id, 1, 3, { timestampMs: 1_700_000_200_000 }),
    ]);
    const sequences = async (query: Record<string, string>) =>
      (await harness.get(`/${id}/errors`, query)).body.data.map((each: { sequence: number }) => each.sequence);
    expect(await sequences({ severity: 'warning' })).toEqual([1]);
    expect(await sequences({ severity: 'ERROR' })).toEqual([3, 2]);
    expect(await sequences({ open: 'true' })).toEqual([3, 1]);
    expect(await sequences({ since: '1700000100' })).toEqual([3, 2]);
    expect(await sequences({ until: '2023-11-14T22:15:00Z' })).toEqual([2, 1]);
    expect(await sequences({ after_revision: '1' })).toEqual([2, 3]);
    expect(errorOf(await harness.get(`/${id}/errors`, { severity: 'bad' }))).toMatchObject({
      code: 100,
      message: '(#100) Param severity must be one of {error, warning, info} - got "bad".',
    });
  });

  test('that were added, counted or cleared are in the next response', async () => {
    const id = await harness.live();
    const read = async () =>
      (await harness.get(`/${id}/errors`)).body.data.map((each: Record<string, unknown>) => [
        each.count,
        'cleared_time' in each,
      ]);
    expect(await read()).toEqual([]);
    await harness.store.records.append([raised(id, 1, 1)]);
    expect(await read()).toEqual([[1, false]]);
    const change = (number: number, kind: 'counted' | 'cleared', over: object) =>
      harness.store.records.append([entry(id, 1, number, { change: kind, body: recordBody(id, 1, 1, over) })]);
    await change(2, 'cleared', { cleared_time_ms: 1_700_000_009_000 });
    expect(await read()).toEqual([[1, true]]);
    await change(3, 'counted', { count: 2 });
    expect(await read()).toEqual([[2, false]]);
    await harness.store.records.delete(id);
    expect(await read()).toEqual([]);
  });

  test('are paged forward and back by links alone', async () => {
    const id = await harness.live();
    await harness.store.records.append(Array.from({ length: 7 }, (_, index) => raised(id, 1, index + 1)));
    const sequences: number[][] = [];
    let url = `${harness.url}/v19.0/${id}/errors?limit=3&fields=sequence&access_token=${harness.token}`;
    let last = url;
    while (url) {
      const { data, paging } = (await (await fetch(url)).json()) as {
        data: { sequence: number }[];
        paging: { next?: string; previous?: string };
      };
      sequences.push(data.map((each) => each.sequence));
      last = paging.previous ?? last;
      url = paging.next ?? '';
      if (url) expect(url).toMatch(new RegExp(`^${harness.url}/v19\\.0/${id}/errors\\?access_token=${harness.token}&`));
    }
    expect(sequences).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    const back = (await (await fetch(last)).json()) as { data: { sequence: number }[] };
    expect(back.data.map((each) => each.sequence)).toEqual([4, 3, 2]);
    const header = await harness.get(`/${id}/errors`, { limit: '3' });
    expect(header.body.paging.next).not.toContain('access_token');
  });

  test('are paged forward only when ordered by revision', async () => {
    const id = await harness.live();
    await harness.store.records.append(Array.from({ length: 5 }, (_, index) => raised(id, 1, index + 1)));
    const read = await harness.get(`/${id}/errors`, { after_revision: '1', limit: '2', fields: 'revision' });
    expect(Object.keys(read.body.paging)).toEqual(['cursors', 'next']);
    const { before } = read.body.paging.cursors;
    expect(errorOf(await harness.get(`/${id}/errors`, { before }))).toMatchObject({ code: 100 });
  });

  test('of an unknown id give LIVE_VIDEO__NOT_EXIST, and the node gives 100/33', async () => {
    for (const edge of ['errors', 'input_streams', 'crossposted_broadcasts']) {
      expect(errorOf(await harness.get(`/999/${edge}`))).toMatchObject({
        code: 100,
        error_subcode: 'LIVE_VIDEO__NOT_EXIST',
        type: 'GraphMethodException',
      });
    }
    expect(errorOf(await harness.get('/999'))).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('are visible to managers only', async () => {
    const id = await harness.live();
    const hidden = await harness.get(`/${id}/errors`, {}, { token: harness.strangerToken });
    expect(errorOf(hidden)).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
    await harness.goLive(id);
    const seen = await harness.get(`/${id}/errors`, {}, { token: harness.strangerToken });
    expect(seen.status).toBe(403);
    expect(errorOf(seen)).toMatchObject({ code: 200 });
    expect(
      (await harness.get(`/${id}`, { fields: 'stream_url,status' }, { token: harness.strangerToken })).body,
    ).toEqual({
      status: 'LIVE',
      id,
    });
  });
});
