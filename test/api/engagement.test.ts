import { LiveAudience } from '../../src/api/resources/insights/live-audience.js';
import { recordAudience, recordStretch, recordView } from '../../src/api/resources/insights/recorder.js';
import { ApiHarness, errorOf, idsOf } from '../support/api-harness.js';

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

describe('comments', () => {
  test('are paged in both orders, with a summary', async () => {
    const id = await harness.video();
    for (let n = 0; n < 250; n += 1) await harness.post(`/${id}/comments`, { message: `No ${n}` });
    for (const order of ['chronological', 'reverse_chronological']) {
      const messages: string[] = [];
      let url = `${harness.url}/v24.0/${id}/comments?order=${order}&summary=1&access_token=${harness.token}`;
      let pages = 0;
      while (url) {
        const body = (await (await fetch(url)).json()) as {
          data: { message: string }[];
          paging: { next?: string };
          summary: object;
        };
        messages.push(...body.data.map((each) => each.message));
        expect(body.summary).toEqual({ order, total_count: 250, can_comment: true });
        url = body.paging.next ?? '';
        pages += 1;
      }
      const expected = Array.from({ length: 250 }, (_, n) => `No ${n}`);
      expect(messages).toEqual(order === 'chronological' ? expected : expected.reverse());
      expect(pages).toBe(10);
    }
  });

  test('can be replied to, liked, hidden and deleted', async () => {
    const id = await harness.video();
    const top = (await harness.post(`/${id}/comments`, { message: 'Top' }, { token: harness.strangerToken })).body.id;
    expect(top).toMatch(new RegExp(`^${id}_\\d+$`));
    const reply = (await harness.post(`/${top}/comments`, { message: 'Reply' })).body.id;
    const second = await harness.post(`/${id}/comments`, { message: 'Also a reply', parent_comment_id: top });
    await harness.post(`/${top}/likes`);
    const read = await harness.get(`/${top}`, {
      fields:
        'message,from,comment_count,like_count,user_likes,can_remove,object,comments{message,parent{id}},likes.summary(true)',
    });
    expect(read.body).toMatchObject({
      message: 'Top',
      from: { name: 'Stan Stranger', id: harness.stranger },
      comment_count: 2,
      like_count: 1,
      user_likes: true,
      can_remove: true,
      object: { id },
      comments: { data: [{ message: 'Reply', parent: { id: top } }, { message: 'Also a reply' }] },
      likes: { data: [{ id: harness.user, name: 'Uma User' }], summary: { total_count: 1, has_liked: true } },
    });
    expect(idsOf(await harness.get(`/${id}/comments`))).toEqual([top]);
    expect(idsOf(await harness.get(`/${id}/comments`, { filter: 'stream' }))).toEqual([top, reply, second.body.id]);

    expect(
      errorOf(await harness.post(`/${reply}`, { message: 'Not mine' }, { token: harness.strangerToken })),
    ).toMatchObject({ code: 200 });
    await harness.post(`/${reply}`, { is_hidden: 'true' });
    expect(idsOf(await harness.get(`/${top}/comments`, {}, { token: harness.strangerToken }))).toEqual([
      second.body.id,
    ]);
    expect(idsOf(await harness.get(`/${top}/comments`))).toEqual([reply, second.body.id]);

    expect((await harness.delete(`/${top}`, { token: harness.strangerToken })).body).toEqual({ success: true });
    for (const gone of [top, reply])
      expect(errorOf(await harness.get(`/${gone}`))).toMatchObject({ error_subcode: 33 });
    expect((await harness.get(`/${id}/comments`)).body.data).toEqual([]);
  });

  test('cannot be read by id when they or their parent are hidden', async () => {
    const id = await harness.video();
    const other = await harness.owner({ kind: 'user', name: 'Olga Other' });
    const others = { token: await harness.tokenOf(other) };
    const top = (await harness.post(`/${id}/comments`, { message: 'Rude' }, { token: harness.strangerToken })).body.id;
    const reply = (await harness.post(`/${top}/comments`, { message: 'Indeed' })).body.id;
    await harness.post(`/${top}`, { is_hidden: 'true' });
    for (const path of [`/${top}`, `/${top}/comments`, `/${top}/likes`, `/${reply}`]) {
      expect(errorOf(await harness.get(path, {}, others))).toMatchObject({ code: 100, error_subcode: 33 });
      expect((await harness.get(path)).status).toBe(200);
    }
    expect((await harness.get(`/${top}`, {}, { token: harness.strangerToken })).body.message).toBe('Rude');
    expect(idsOf(await harness.get(`/${id}/comments`, { filter: 'stream' }, others))).toEqual([]);
    for (const path of [`/${top}/likes`, `/${top}/comments`]) {
      expect(errorOf(await harness.post(path, { message: 'x' }, others))).toMatchObject({ error_subcode: 33 });
    }
    const answer = { message: 'x', parent_comment_id: top };
    expect(errorOf(await harness.post(`/${id}/comments`, answer, others))).toMatchObject({ code: 100 });
  });

  test('with images are refused with an error', async () => {
    const form = new FormData();
    form.append('source', new Blob(['x'], { type: 'image/png' }), 'x.png');
    form.append('message', 'Look');
    const refused = await harness.ask('POST', `/${video}/comments`, { body: form });
    expect(errorOf(refused)).toMatchObject({ code: 100, message: expect.stringContaining('not supported') });
    expect(errorOf(await harness.post(`/${video}/comments`, { attachment_id: '5' })).message).toContain(
      'not supported',
    );
  });

  test('give error 200 when edited by others than the author, or hidden by others than moderators', async () => {
    const id = (await harness.post(`/${video}/comments`, { message: 'Mine' }, { token: harness.strangerToken })).body
      .id;
    expect(errorOf(await harness.post(`/${id}`, { message: 'Yours' }))).toMatchObject({ code: 200 });
    const hide = await harness.post(`/${id}`, { is_hidden: 'true' }, { token: harness.strangerToken });
    expect(errorOf(hide)).toMatchObject({ code: 200, type: 'OAuthException' });
    expect((await harness.get(`/${id}`, { fields: 'message,is_hidden' })).body).toMatchObject({
      message: 'Mine',
      is_hidden: false,
    });
  });

  test('on a broadcast belong to its Video, with their time in the broadcast', async () => {
    const live = await harness.live();
    await harness.goLive(live);
    const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
    harness.clock.advance(90_000);
    await harness.post(`/${id}/comments`, { message: 'Live' });
    const { data } = (await harness.get(`/${live}/comments`, { fields: 'message,live_broadcast_timestamp' })).body;
    expect(data).toEqual([{ message: 'Live', live_broadcast_timestamp: 90, id: expect.any(String) }]);
  });

  test.each([[{}], [{ message: '  ' }]])('%j is refused', async (form) => {
    expect(errorOf(await harness.post(`/${video}/comments`, form as Record<string, string>))).toMatchObject({
      code: 100,
      message: '(#100) The parameter message is required',
    });
  });
});

describe('likes and reactions', () => {
  test('count once per user, can be removed, and can be read under aliases with counts only', async () => {
    const id = await harness.video();
    await harness.post(`/${id}/likes`);
    await harness.post(`/${id}/likes`);
    await harness.post(`/${id}/likes`, {}, { token: harness.strangerToken });
    const fields =
      'likes.limit(0).summary(true),reactions.type(LIKE).limit(0).summary(total_count).as(like),reactions.type(LOVE).limit(0).summary(total_count).as(love)';
    expect((await harness.get(`/${id}`, { fields })).body).toEqual({
      likes: { data: [], summary: { total_count: 2, can_like: true, has_liked: true } },
      like: { data: [], summary: { total_count: 2 } },
      love: { data: [], summary: { total_count: 0 } },
      id,
    });
    await harness.delete(`/${id}/likes`);
    expect((await harness.get(`/${id}/likes`, { summary: 'true' })).body).toMatchObject({
      data: [{ id: harness.stranger, name: 'Stan Stranger' }],
      summary: { total_count: 1, has_liked: false },
    });
  });

  test('sponsors are set, and shared posts are read under both names', async () => {
    const id = await harness.video();
    await harness.post(`/${id}`, { sponsor_id: harness.page });
    expect((await harness.get(`/${id}/sponsor_tags`)).body.data).toEqual([{ id: harness.page, name: 'Paula Page' }]);
    expect(errorOf(await harness.post(`/${id}`, { sponsor_id: harness.user }))).toMatchObject({ code: 100 });
    await harness.post(`/${id}/shared_posts`, { message: 'Look' });
    const { data } = (await harness.get(`/${id}/sharedposts`)).body;
    expect(data).toEqual((await harness.get(`/${id}/shared_posts`)).body.data);
    expect(data[0]).toMatchObject({ message: 'Look', story: 'Uma User shared a video.' });
  });
});

describe('cross-posting', () => {
  test('requires permission; the copy has its own id and insights', async () => {
    const other = await harness.owner({ kind: 'page', name: 'Other Page', managerId: harness.stranger });
    const cross = () =>
      harness.post(`/${other}/videos`, { crossposted_video_id: video }, { token: harness.strangerToken });
    const refused = await cross();
    expect(refused.status).toBe(403);
    expect(errorOf(refused)).toMatchObject({ code: 200, error_subcode: 1363103 });
    await harness.post(`/${video}`, { allow_crossposting_for_pages: `[{page_id:${other},allow:true}]` });
    expect((await harness.get(`/${video}/crosspost_shared_pages`)).body.data).toEqual([
      { id: other, name: 'Other Page' },
    ]);
    const copy = (await cross()).body.id;
    expect(copy).not.toBe(video);
    expect((await harness.get(`/${copy}`, { fields: 'is_crosspost_video,from{id}' })).body).toMatchObject({
      is_crosspost_video: true,
      from: { id: other },
    });
    await harness.post(`/${video}`, { allow_crossposting_for_pages: `[{page_id:${other},allow:false}]` });
    expect((await cross()).status).toBe(403);
  });

  test('of broadcasts is limited to paired Pages', async () => {
    const other = await harness.owner({ kind: 'page', name: 'Partner', managerId: harness.user });
    const enable = () =>
      harness.post(`/${harness.page}/live_videos`, {
        crossposting_actions: JSON.stringify([{ page_id: other, action: 'enable_crossposting' }]),
      });
    expect(errorOf(await enable())).toMatchObject({
      code: -1,
      error_subcode: 1363103,
      message: 'Fatal',
      is_transient: false,
    });
    const pair = `[{partner_page_id:${other},allow_live:true}]`;
    await harness.post(`/${harness.page}`, { begin_crossposting_handshake: pair });
    await harness.post(`/${other}`, { accept_crossposting_handshake: pair.replace(other, harness.page) });
    expect((await harness.get(`/${harness.page}/crosspost_whitelisted_pages`)).body.data).toEqual([
      { id: other, name: 'Partner', allows_live_crossposts: true },
    ]);
    const made = await enable();
    expect((await harness.get(`/${made.body.id}/crosspost_shared_pages`)).body.data).toEqual([
      { id: other, name: 'Partner' },
    ]);
  });
});

test('refuses edges and methods of the conventions that the document lacks by name, and changes nothing', async () => {
  const id = await harness.video();
  const refused = async (method: string, path: string, form: Record<string, string> = {}) => {
    const { status, body } = await harness.ask(method, path, method === 'GET' ? {} : { form });
    return [status, body.error?.code, body.error?.message];
  };
  expect(await refused('POST', `/${id}/reactions`, { type: 'LOVE' })).toEqual([
    400,
    100,
    expect.stringContaining('nsupported post request'),
  ]);
  for (const edge of ['published_posts', 'feed', 'blocked']) {
    const method = edge === 'blocked' ? 'POST' : 'GET';
    expect(await refused(method, `/${harness.page}/${edge}`, { user: harness.stranger })).toEqual([
      400,
      2500,
      expect.stringContaining(edge),
    ]);
  }
  expect(await refused('POST', `/${id}/comments`, { message: 'Look', attachment_id: '1' })).toEqual([
    400,
    100,
    expect.stringContaining('Images in comments are not supported'),
  ]);
  expect((await harness.get(`/${id}/comments`)).body.data).toEqual([]);
  expect((await harness.get(`/${id}/reactions`)).body.data).toEqual([]);
});

describe('insights', () => {
  test('of a broadcast ignore previews and count time from its start', async () => {
    const live = await harness.live();
    const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
    const audience = new LiveAudience(harness);
    const early = audience.watch(live);
    audience.count(live, 1);
    await audience.close();
    harness.clock.advance(60_000);
    await harness.goLive(live);
    const late = audience.watch(live);
    audience.count(live, 2);
    await audience.close();
    harness.clock.advance(12_000);
    audience.count(live, 2);
    await audience.close();
    late(harness.clock.monotonicMs());
    audience.count(live, 1);
    harness.clock.advance(8_000);
    await harness.endTo(live, 'VOD');
    harness.clock.advance(3_600_000);
    early(harness.clock.monotonicMs());
    audience.count(live, 0);
    await audience.close();
    const { data } = (await harness.get(`/${id}/video_insights`)).body;
    const value = (name: string) => data.find((each: { name: string }) => each.name === name).values[0].value;
    expect({
      views: value('total_video_views'),
      live: value('total_video_views_live'),
      ten: value('total_video_10s_views'),
      fifteen: value('total_video_15s_views'),
      peak: value('live_video_peak_viewers'),
      audience: value('live_video_average_viewers'),
    }).toEqual({ views: 1, live: 1, ten: 2, fifteen: 1, peak: 2, audience: 2 });
    // 12 s of one viewer and 20 s of the other, plus the duration of the test.
    const watchedMs = value('total_video_view_total_time_live');
    expect(watchedMs).toBeGreaterThanOrEqual(32_000);
    expect(watchedMs).toBeLessThan(60_000);
  });

  test('count views, watch time, reactions and audience', async () => {
    const id = await harness.video();
    await recordView(harness, id, { viewerId: harness.user, isLive: false });
    await recordView(harness, id, { viewerId: harness.user, isLive: true });
    await recordView(harness, id, { isLive: false });
    await recordStretch(harness, id, { fromMs: 0, toMs: 20_000, watchedBeforeMs: 0, isLive: false, lengthMs: 40_000 });
    await recordStretch(harness, id, { fromMs: 20_000, toMs: 31_000, watchedBeforeMs: 20_000, isLive: false });
    for (const viewers of [3, 9, 6]) await recordAudience(harness, id, viewers);
    await harness.post(`/${id}/likes`);
    await harness.post(`/${id}`, { increment_play_count: 'true' });
    const { data } = (await harness.get(`/${id}/video_insights`)).body;
    const value = (name: string) => data.find((each: { name: string }) => each.name === name).values[0].value;
    expect({
      views: value('total_video_views'),
      unique: value('total_video_views_unique'),
      live: value('total_video_views_live'),
      time: value('total_video_view_total_time'),
      ten: value('total_video_10s_views'),
      thirty: value('total_video_30s_views'),
      minute: value('total_video_60s_excludes_shorter_views'),
      average: value('total_video_avg_time_watched'),
      peak: value('live_video_peak_viewers'),
      audience: value('live_video_average_viewers'),
      actions: value('total_video_stories_by_action_type'),
    }).toEqual({
      views: 4,
      unique: 1,
      live: 1,
      time: 31_000,
      ten: 1,
      thirty: 1,
      minute: 0,
      average: 7_750,
      peak: 9,
      audience: 6,
      actions: { like: 1, comment: 0, share: 0 },
    });
    const retention = value('total_video_retention_graph');
    expect([retention['0'], retention['19'], retention['20'], retention['39']]).toEqual([0.25, 0.25, 0, 0]);
    const one = await harness.get(`/${id}/video_insights/total_video_views`);
    expect(one.body.data).toEqual([
      {
        name: 'total_video_views',
        period: 'lifetime',
        values: [{ value: 4 }],
        title: expect.any(String),
        description: expect.any(String),
        id: `${id}/video_insights/total_video_views/lifetime`,
      },
    ]);
    const days = await harness.get(`/${id}/video_insights`, {
      metric: 'total_video_views',
      period: 'day',
      since: 'yesterday',
    });
    expect(days.body.data[0].values.map((each: { value: number }) => each.value)).toEqual([0, 4]);
    expect(days.body.data[0].values[1].end_time).toMatch(/T00:00:00\+0000$/);
    expect(days.body.data[0].title).toBe('Daily Total Video Views');
  });

  test('leave out an unknown metric and name it, and read a row by its id', async () => {
    const asked = { metric: 'nope,total_video_views,post_impressions,nope', fields: 'name,id' };
    const { body } = await harness.get(`/${video}/video_insights`, asked);
    const id = `${video}/video_insights/total_video_views/lifetime`;
    expect(body.data).toEqual([{ name: 'total_video_views', id }]);
    expect(body.warnings).toEqual([
      { metric: 'nope', message: 'nope is not a metric of this service' },
      { metric: 'post_impressions', message: 'post_impressions is not a metric of this service' },
    ]);
    expect((await harness.get(`/${id}`, { fields: 'id' })).body.data).toEqual([{ id }]);
    const day = id.replace('lifetime', 'day');
    expect((await harness.get(`/${day}`)).body.data).toMatchObject([{ id: day, period: 'day' }]);
    const peak = await harness.get(`/${video}/video_insights/live_video_peak_viewers/day`);
    expect(peak.body).toMatchObject({ data: [], warnings: [{ metric: 'live_video_peak_viewers' }] });
    expect(peak.status).toBe(200);
    const nested = (await harness.get(`/${video}`, { fields: 'video_insights.metric(nope)' })).body;
    expect(nested.video_insights).toMatchObject({ data: [], warnings: [{ metric: 'nope' }] });
    expect((await harness.get(`/${video}/video_insights`)).body.warnings).toBeUndefined();
    expect(errorOf(await harness.get(`/${day}/more`))).toMatchObject({ code: 2500 });
    expect(errorOf(await harness.get(`/${video}/video_insights/total_video_views/century`))).toMatchObject({
      code: 100,
    });
  });

  test('refuse viewers who are not managers', async () => {
    expect(errorOf(await harness.get(`/${video}/video_insights`, {}, { token: harness.strangerToken }))).toMatchObject({
      code: 200,
    });
  });
});
