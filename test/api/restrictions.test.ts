/** What restricts who may see a video holds, or is refused by name; nothing of it is dropped. */
import type { VideoData } from '../../src/lifecycle/documents.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const asStranger = () => ({ token: harness.strangerToken });
const isHidden = async (id: string) => errorOf(await harness.get(`/${id}`, {}, asStranger()))?.error_subcode === 33;
const listed = async (ask = {}): Promise<string[]> =>
  (await harness.get(`/${harness.page}/videos`, { limit: '100' }, ask)).body.data.map(({ id }: { id: string }) => id);
const liveOf = async (video: string) =>
  (await harness.get(`/${video}`, { fields: 'live_video' })).body.live_video.id as string;
/** A video of the Page without a broadcast. */
const copy = async (form: Record<string, string> = {}): Promise<string> => {
  const original = await harness.video();
  const made = await harness.post(`/${harness.page}/videos`, { crossposted_video_id: original, ...form });
  if (made.status !== 200) throw new Error(made.text);
  return made.body.id;
};
const soon = () => String(Math.floor(harness.clock.wallMs() / 1000) + 3600);

describe('refused by name', () => {
  test.each([
    ['page', { privacy: 'SELF' }, 'privacy'],
    ['group', { privacy: '{"value":"ALL_FRIENDS"}' }, 'privacy'],
    ['page', { secret: 'true' }, 'secret'],
    ['page', { reference_only: '1' }, 'reference_only'],
    ['page', { save_vod: 'false' }, 'save_vod'],
    ['page', { status: 'LIVE_NOW', published: 'false' }, 'published'],
  ] as const)('a live video of a %s with %j', async (kind, form, name) => {
    const reply = await harness.post(`/${harness[kind]}/live_videos`, { ...form });
    expect(errorOf(reply)).toMatchObject({
      code: 100,
      message: expect.stringMatching(`^\\(#100\\) Param ${name} must`),
    });
    const live = await harness.live({ status: 'UNPUBLISHED' }, harness[kind]);
    expect(errorOf(await harness.post(`/${live}`, { ...form })).message).toMatch(`(#100) Param ${name} must`);
  });

  test.each([
    [{ privacy: 'SELF' }, 'privacy'],
    [{ secret: 'true' }, 'secret'],
    [{ unpublished_content_type: 'DRAFT', published: 'true' }, 'unpublished_content_type'],
  ])('a video with %j', async (form, name) => {
    const id = await copy();
    const message = `(#100) Param ${name} must`;
    expect(errorOf(await harness.post(`/${id}`, { ...form })).message).toMatch(message);
    const made = await harness.post(`/${harness.page}/videos`, { crossposted_video_id: id, ...form });
    expect(errorOf(made).message).toMatch(message);
  });

  test('a narrower audience, with the parameter that hides this kind of object and a subcode of its own', async () => {
    const video = await copy();
    const shown = await harness.live();
    await harness.goLive(shown);
    const planned = await harness.live({ status: 'UNPUBLISHED' });
    for (const [path, hideWith] of [
      [`/${harness.page}/live_videos`, { status: 'UNPUBLISHED' }],
      [`/${harness.group}/live_videos`, { status: 'UNPUBLISHED' }],
      [`/${planned}`, { status: 'UNPUBLISHED' }],
      [`/${shown}`, { published: 'false' }],
      [`/${video}`, { published: 'false' }],
    ] as const) {
      for (const form of [{ privacy: 'SELF' }, { secret: 'true' }]) {
        const refused = errorOf(await harness.post(path, form));
        expect(refused).toMatchObject({ code: 100, error_subcode: 1390008, error_data: { hide_with: hideWith } });
        const [name, value] = Object.entries(hideWith)[0] ?? [];
        expect(refused.message).toMatch(new RegExp(`Use ${name}=${value} to hide it$`));
      }
    }
    // The named parameter is accepted, and hides it.
    const hidden = await harness.post(`/${harness.page}/live_videos`, { status: 'UNPUBLISHED' });
    expect(await isHidden(hidden.body.id)).toBe(true);
    await harness.post(`/${video}`, { published: 'false' });
    expect(await isHidden(video)).toBe(true);
  });

  test('published=false of a live video that is LIVE or waits for it', async () => {
    const live = await harness.live({ status: 'UNPUBLISHED' });
    expect((await harness.post(`/${live}`, { published: 'false' })).status).toBe(200);
    await harness.post(`/${live}`, { status: 'LIVE_NOW' });
    expect(errorOf(await harness.post(`/${live}`, { published: 'false' })).message).toContain('waiting to go LIVE');
    await harness.goLive(live);
    expect(errorOf(await harness.post(`/${live}`, { published: 'false' })).message).toContain('is LIVE');
  });

  test('what cannot hold on a recording', async () => {
    const id = await harness.video();
    expect(errorOf(await harness.post(`/${id}`, { scheduled_publish_time: soon() })).message).toContain(
      'scheduled_publish_time',
    );
    const expiration = JSON.stringify({ time: soon(), type: 'expire_and_delete' });
    expect(errorOf(await harness.post(`/${id}`, { expiration })).message).toContain('expiration[type]');
  });
});

describe('holds', () => {
  test('published=false on a recording, until published=true, and after the live video is deleted', async () => {
    const id = await harness.video();
    const live = await liveOf(id);
    expect(await isHidden(id)).toBe(false);
    await harness.post(`/${id}`, { published: 'false' });
    for (const each of [id, live]) expect(await isHidden(each)).toBe(true);
    expect(await listed(asStranger())).not.toContain(id);
    expect((await harness.get(`/${id}`, { fields: 'published' })).body.published).toBe(false);
    await harness.delete(`/${live}`);
    expect(await isHidden(id)).toBe(true);
    await harness.post(`/${id}`, { published: 'true' });
    expect(await isHidden(id)).toBe(false);
    expect((await harness.get(`/${id}`, { fields: 'published' })).body.published).toBe(true);
  });

  test('published=false on a video whose schedule has published it', async () => {
    const id = await copy({ published: 'false', scheduled_publish_time: soon() });
    harness.clock.advance(2 * 3_600_000);
    expect(await isHidden(id)).toBe(false);
    await harness.post(`/${id}`, { published: 'false' });
    expect(await isHidden(id)).toBe(true);
  });

  test('a draft by unpublished_content_type alone', async () => {
    expect(await isHidden(await copy({ unpublished_content_type: 'DRAFT' }))).toBe(true);
  });

  test('the expiration of a recording', async () => {
    const id = await harness.video();
    await harness.post(`/${id}`, { expire_now: 'true' });
    for (const each of [id, await liveOf(id)]) expect(await isHidden(each)).toBe(true);
  });

  test('is_crossposting_eligible, which agrees with cross-posting', async () => {
    const id = await harness.video();
    const eligible = async (video: string) =>
      (await harness.get(`/${video}`, { fields: 'is_crossposting_eligible' })).body.is_crossposting_eligible;
    const post = (video: string) => harness.post(`/${harness.group}/videos`, { crossposted_video_id: video });
    expect(await eligible(id)).toBe(true);
    const made = (await post(id)).body.id;
    await harness.post(`/${id}`, { is_crossposting_eligible: 'false' });
    for (const each of [id, made]) {
      expect(await eligible(each)).toBe(false);
      expect(errorOf(await post(each))).toMatchObject({ code: 200, error_subcode: 1363103 });
    }
    const unaired = (await harness.get(`/${await harness.live()}`, { fields: 'video' })).body.video.id;
    expect(await eligible(unaired)).toBe(false);
    expect(errorOf(await post(unaired))).toMatchObject({ code: 200 });
  });
});

test('a scheduled video that is published early is published now, with its time', async () => {
  const id = await copy({ published: 'false', scheduled_publish_time: soon() });
  const read = async () => (await harness.get(`/${id}`, { fields: 'published,scheduled_publish_time,status' })).body;
  expect((await read()).status.publishing_phase).toMatchObject({ publish_status: 'scheduled' });
  harness.clock.advance(600_000);
  const nowS = Math.floor(harness.clock.wallMs() / 1000);
  await harness.post(`/${id}`, { published: 'true' });
  const { published, scheduled_publish_time: scheduled, status } = await read();
  expect([published, scheduled, status.publishing_phase.publish_status]).toEqual([true, undefined, 'published']);
  const publishedS = Date.parse(status.publishing_phase.publish_time.replace('+0000', 'Z')) / 1000;
  expect(publishedS - nowS).toBeGreaterThanOrEqual(0);
  expect(publishedS - nowS).toBeLessThan(600);
  expect((await harness.store.objects.get<VideoData>(id))?.data.scheduledPublishMs).toBeUndefined();
  // A schedule on a published video hides it again.
  await harness.post(`/${id}`, { scheduled_publish_time: soon() });
  expect(await isHidden(id)).toBe(true);
});

test('a broadcast stopped for copyright leaves nothing public', async () => {
  const live = await harness.live();
  await harness.goLive(live);
  const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
  const made = (await harness.post(`/${harness.group}/videos`, { crossposted_video_id: id })).body.id;
  await harness.broadcasts.request(live, { type: 'copyright-stop', pageName: 'Some Page' });
  const at = { wallMs: harness.clock.wallMs() };
  await harness.states.move(live, { type: 'processing-started', ...at });
  await harness.states.move(live, { type: 'processing-done', ...at });
  const fields = 'published,source,status{copyright_check_status},copyright_check_information,is_crossposting_eligible';
  const isClosed = async () => {
    for (const each of [id, made]) expect(await isHidden(each)).toBe(true);
    expect(await listed(asStranger())).not.toContain(id);
    const { body } = await harness.get(`/${id}`, { fields });
    expect(body).toMatchObject({
      published: false,
      status: { copyright_check_status: { status: 'complete', matches_found: true } },
      copyright_check_information: { status: { matches_found: true } },
      is_crossposting_eligible: false,
    });
    expect(errorOf(await harness.post(`/${id}`, { published: 'true' }))).toMatchObject({
      error_subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
    });
  };
  expect(await isHidden(live)).toBe(true);
  await isClosed();
  await harness.delete(`/${live}`);
  await isClosed();
});

test('lists of videos have no placeholder of a broadcast that never aired', async () => {
  const user = (await harness.get('/me')).body.id;
  for (const owner of [harness.page, harness.group, user]) {
    const live = await harness.live(owner === user ? { privacy: 'EVERYONE' } : {}, owner);
    const { id } = (await harness.get(`/${live}`, { fields: 'video' })).body.video;
    const all = async (): Promise<string[]> =>
      (await harness.get(`/${owner}/videos`)).body.data.map((each: { id: string }) => each.id);
    expect(await all()).not.toContain(id);
    await harness.goLive(live);
    expect(await all()).toContain(id);
    await harness.endTo(live, 'VOD');
    await harness.delete(`/${live}`);
    expect(await all()).toContain(id);
  }
});

test('targeting and moderation of comments are refused, unless they restrict nothing', async () => {
  const id = await harness.live({ targeting: '{}' });
  const targeting = "{geo_locations:{countries:['US']},age_min:18}";
  const { video } = (await harness.get(`/${id}`, { fields: 'video' })).body;
  for (const path of [`/${harness.page}/live_videos`, `/${id}`, `/${video.id}`]) {
    const refused = await harness.post(path, { targeting, title: 'Not set' });
    expect(errorOf(refused)).toMatchObject({ code: 100, message: expect.stringContaining('Param targeting must be') });
  }
  const moderated = await harness.post(`/${id}`, { live_comment_moderation_setting: 'FOLLOWER,SLOW' });
  expect(errorOf(moderated).message).toContain('Param live_comment_moderation_setting must be DEFAULT');
  expect((await harness.post(`/${id}`, { live_comment_moderation_setting: 'DEFAULT' })).status).toBe(200);
  expect((await harness.get(`/${id}`)).body.title).toBe('A broadcast');
});
