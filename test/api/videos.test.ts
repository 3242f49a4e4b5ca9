import { ApiHarness, errorOf, idsOf } from '../support/api-harness.js';
import { raised } from '../support/store-harness.js';

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

function upload(field: string, name: string, bytes: Buffer | string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set(field, new Blob([bytes]), name);
  return form;
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('a video', () => {
  test('title and name are one field, in requests and in answers', async () => {
    const id = await harness.video();
    for (const [sent, shown] of [
      [{ title: 'By title' }, 'By title'],
      [{ name: 'By name' }, 'By name'],
      [{ title: 'Title wins', name: 'Other' }, 'Title wins'],
    ] as const) {
      expect((await harness.post(`/${id}`, { ...sent, fields: 'title,name' })).body).toEqual({
        title: shown,
        name: shown,
        id,
      });
      const live = (await harness.get(`/${id}`, { fields: 'live_video{title}' })).body.live_video;
      expect(live.title).toBe(shown);
    }
    const copy = (await harness.post(`/${harness.group}/videos`, { crossposted_video_id: id, name: 'Copy' })).body.id;
    expect((await harness.get(`/${copy}`, { fields: 'title' })).body.title).toBe('Copy');
  });

  test('returns its default fields and updates', async () => {
    const updated = await harness.post(`/${video}`, { name: 'Title', description: 'Words', content_category: 'music' });
    expect(updated.body).toEqual({ success: true });
    const { body } = await harness.get(`/${video}`);
    expect(Object.keys(body)).toEqual(['description', 'updated_time', 'id']);
    const more = await harness.get(`/${video}`, {
      fields: 'title,content_category,live_status,published,from{id},status{video_status}',
    });
    expect(more.body).toEqual({
      title: 'Title',
      content_category: 'MUSIC',
      live_status: 'VOD',
      published: true,
      from: { id: harness.page },
      status: { video_status: 'ready' },
      id: video,
    });
  });

  test('of a running broadcast is live in the list, and processing until its recording is there', async () => {
    const live = await harness.live();
    await harness.goLive(live);
    const listed = async () => {
      const { body } = await harness.get(`/${harness.page}/videos`, {
        fields: 'live_status,status{video_status},live_video{id}',
      });
      const row = body.data.find((each: { live_video?: { id: string } }) => each.live_video?.id === live);
      return [row.live_status, row.status.video_status];
    };
    expect(await listed()).toEqual(['LIVE', 'processing']);
    await harness.post(`/${live}`, { end_live_video: 'true' });
    expect(await listed()).toEqual(['LIVE_STOPPED', 'processing']);
  });

  test('a category is one of the list, and a video that is only a reference is never published', async () => {
    const id = await harness.video();
    const read = async () => (await harness.get(`/${id}`, { fields: 'content_category,is_reference_only' })).body;
    expect(await read()).toEqual({ content_category: 'OTHER', is_reference_only: false, id });
    const refused = await harness.post(`/${id}`, { content_category: 'REFERENCE' });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining('content_category')]);
    const both = await harness.post(`/${id}`, { is_reference_only: 'true', published: 'true' });
    expect([both.status, errorOf(both).message]).toEqual([400, expect.stringContaining('is_reference_only')]);
    await harness.post(`/${id}`, { content_category: 'MUSIC' });
    expect(await read()).toEqual({ content_category: 'MUSIC', is_reference_only: false, id });
  });

  test('refuses updates and deletion while live with LIVE_VIDEO__EDIT_API_NOT_ALLOWED', async () => {
    const live = await harness.live();
    const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
    await harness.goLive(live);
    for (const reply of [await harness.post(`/${id}`, { name: 'No' }), await harness.delete(`/${id}`)]) {
      expect(reply.status).toBe(400);
      expect(errorOf(reply)).toMatchObject({ code: 100, error_subcode: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED' });
    }
    expect((await harness.post(`/${live}`, { title: 'Yes' })).status).toBe(200);
    expect((await harness.get(`/${id}`, { fields: 'title' })).body.title).toBe('Yes');
  });

  test('refuses transitions after a copyright stop with COPYRIGHT__LIVE_COPYRIGHT_VIOLATION', async () => {
    const live = await harness.live();
    await harness.goLive(live);
    await harness.broadcasts.request(live, { type: 'copyright-stop', pageName: 'the Page Other' });
    const refused = await harness.post(`/${live}`, { status: 'LIVE_NOW' });
    expect(refused.status).toBe(403);
    expect(errorOf(refused)).toMatchObject({
      code: 368,
      error_subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
      error_user_title: 'Live Copyright Violation',
      error_user_msg: expect.stringMatching(/Other/),
    });
    expect(String(errorOf(refused).message).match(/The live video was stopped/g)).toHaveLength(1);
    const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
    const checked = async (video: string) =>
      (await harness.get(`/${video}`, { fields: 'copyright_check_information' })).body.copyright_check_information
        .status;
    expect(await checked(id)).toEqual({ status: 'complete', matches_found: true });
    expect(await checked(video)).toEqual({ status: 'not_started', matches_found: false });
  });

  test('is refused with VIDEO__CREATE_FAILED without file storage, and with 1363020 without a file', async () => {
    const none = await harness.post(`/${harness.page}/videos`);
    expect(errorOf(none)).toMatchObject({ code: 100, error_subcode: 1363020 });
    const refused = await harness.post(`/${harness.page}/videos`, { file_url: 'https://example.com/a.mp4' });
    expect(refused.status).toBe(500);
    expect(errorOf(refused)).toMatchObject({ code: 6001, error_subcode: 'VIDEO__CREATE_FAILED' });
  });

  test('is deleted with all its parts', async () => {
    const id = await harness.video();
    const live = (await harness.get(`/${id}`, { fields: 'live_video' })).body.live_video.id;
    const comment = (await harness.post(`/${id}/comments`, { message: 'Hi' })).body.id;
    const poll = (await harness.post(`/${id}/polls`, { question: 'Q', options: 'a,b' })).body;
    expect((await harness.delete(`/${id}`)).body).toMatchObject({ success: true });
    for (const gone of [id, comment, poll.id, poll.option_ids[0]]) {
      expect(errorOf(await harness.get(`/${gone}`))).toMatchObject({ code: 100, error_subcode: 33 });
      expect(await harness.store.objects.get(gone)).toBeUndefined();
    }
    expect(errorOf(await harness.get(`/${live}`))).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
    expect(idsOf(await harness.get(`/${harness.page}/videos`, { limit: '100' }))).not.toContain(id);
  });

  test('can be backdated on creation', async () => {
    const form = (backdated: string) => ({ crossposted_video_id: video, backdated_post: backdated });
    const made = await harness.post(`/${harness.group}/videos`, form('{backdated_time:1000000000}'));
    const fields = 'backdated_time,backdated_time_granularity';
    expect((await harness.get(`/${made.body.id}`, { fields })).body).toEqual({
      backdated_time: '2001-09-09T01:46:40+0000',
      backdated_time_granularity: 'none',
      id: made.body.id,
    });
    expect(errorOf(await harness.post(`/${harness.group}/videos`, form('{}'))).message).toContain('backdated_post');
  });

  test('is not created when a requested field does not exist', async () => {
    const before = idsOf(await harness.get(`/${harness.page}/live_videos`, { limit: '100' }));
    const name = async () => (await harness.get(`/${video}`, { fields: 'title' })).body.title;
    await harness.post(`/${video}`, { name: 'Before' });
    for (const fields of ['nope', 'id,comments{nope}', 'from{nope}', 'likes.limit(x)', 'a{']) {
      expect((await harness.post(`/${harness.page}/live_videos`, { title: 'Twice', fields })).status).toBe(400);
      expect((await harness.post(`/${video}`, { name: 'After', fields })).status).toBe(400);
    }
    expect(await name()).toBe('Before');
    expect(idsOf(await harness.get(`/${harness.page}/live_videos`, { limit: '100' }))).toEqual(before);
    const read = await harness.post(`/${video}`, {
      name: 'After',
      fields: 'title,likes.limit(0).summary(total_count)',
    });
    expect(read.body).toEqual({ title: 'After', likes: { data: [], summary: { total_count: 0 } }, id: video });
  });

  test('has error records under its own id when uploaded', async () => {
    const [row] = await harness.store.records.append([
      raised(video, 1, 1, { error_code: 6701, error_type: 'UPLOAD_CONTAINER_UNSUPPORTED' }),
    ]);
    const own = await harness.post(`/${harness.group}/videos`, { crossposted_video_id: video });
    await harness.store.records.append([raised(own.body.id, 1, 1, { error_code: 6702 })]);
    expect((await harness.get(`/${own.body.id}/errors`)).body.data).toEqual([
      expect.objectContaining({ error_code: 6702 }),
    ]);
    expect(row?.sequence).toBe(1);
  });
});

describe('lists of videos', () => {
  test('contain uploaded and tagged videos of a user by default', async () => {
    const user = await harness.owner({ kind: 'user', name: 'Lister', profileAgeDays: 90, followers: 150 });
    const token = await harness.tokenOf(user);
    const tagged: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      harness.clock.advance(5);
      const id = await harness.video();
      await harness.post(`/${id}`, { tags: `[${user}]` });
      tagged.unshift(id);
    }
    const own = await harness.post(`/${user}/live_videos`, { privacy: 'EVERYONE' }, { token });
    await harness.goLive(own.body.id);
    const list = (query: Record<string, string>) =>
      harness.get(`/${user}/videos`, { fields: 'id', ...query }, { token });
    expect(idsOf(await list({ type: 'TAGGED' }))).toEqual(tagged);
    const uploaded = idsOf(await list({ type: 'uploaded' }));
    expect(uploaded).toHaveLength(1);
    expect(idsOf(await list({}))).toEqual([...uploaded, ...tagged]);
    const first = await list({ limit: '2' });
    expect(idsOf(first)).toEqual([uploaded[0], tagged[0]]);
    const next = (await (await fetch(`${first.body.paging.next}&access_token=${token}`)).json()) as {
      data: { id: string }[];
    };
    expect(next.data.map((each) => each.id)).toEqual(tagged.slice(1));
    expect((await harness.get(`/${tagged[0]}/tags`)).body.data).toEqual([
      { id: user, name: 'Lister', created_time: expect.stringMatching(/\+0000$/) },
    ]);
  });

  test('show drafts and scheduled videos to managers only, until the scheduled time', async () => {
    const at = Math.floor(harness.clock.wallMs() / 1000) + 3600;
    const made = await harness.post(`/${harness.page}/videos`, {
      crossposted_video_id: video,
      published: 'false',
      scheduled_publish_time: String(at),
    });
    const id = made.body.id;
    const seen = () => harness.get(`/${id}`, { fields: 'published' }, { token: harness.strangerToken });
    expect(errorOf(await seen())).toMatchObject({ error_subcode: 33 });
    expect(
      (await harness.get(`/${id}`, { fields: 'status{publishing_phase}' })).body.status.publishing_phase,
    ).toMatchObject({
      publish_status: 'scheduled',
    });
    harness.clock.advance(3_601_000);
    expect((await seen()).body).toEqual({ published: true, id });
    const shown = (await harness.get(`/${id}`, { fields: 'scheduled_publish_time,status{publishing_phase}' })).body;
    expect(shown).toMatchObject({ status: { publishing_phase: { status: 'complete', publish_status: 'published' } } });
    expect(shown).not.toHaveProperty('scheduled_publish_time');
    expect(errorOf(await harness.post(`/${id}`, { scheduled_publish_time: '1' }))).toMatchObject({ code: 100 });
    await harness.post(`/${id}`, { expire_now: 'true' });
    expect(errorOf(await seen())).toMatchObject({ error_subcode: 33 });
  });

  test('an expiration in the past is refused', async () => {
    for (const time of ['5', String(Math.floor(harness.clock.wallMs() / 1000) - 1)]) {
      const expiration = `{time:${time},type:expire_and_delete}`;
      const made = { crossposted_video_id: video, expiration };
      for (const reply of [
        await harness.post(`/${video}`, { expiration }),
        await harness.post(`/${harness.group}/videos`, made),
      ]) {
        expect(errorOf(reply)).toMatchObject({ code: 100, message: expect.stringContaining('expiration[time]') });
      }
    }
    expect((await harness.get(`/${video}`)).status).toBe(200);
  });

  test('reveal neither rows nor cursors of invisible videos', async () => {
    const user = await harness.owner({ kind: 'user', name: 'Shy', profileAgeDays: 90, followers: 150 });
    const token = await harness.tokenOf(user);
    const shown: string[] = [];
    for (const privacy of ['SELF', 'EVERYONE', 'SELF', 'EVERYONE', 'SELF']) {
      harness.clock.advance(5);
      const { id } = (await harness.post(`/${user}/live_videos`, { privacy }, { token })).body;
      await harness.goLive(id);
      if (privacy === 'EVERYONE') shown.unshift(id);
    }
    for (const edge of ['live_videos', 'videos']) {
      const { data, paging } = (await harness.get(`/${user}/${edge}`, {}, { token: harness.strangerToken })).body;
      const named = [paging.cursors.before, paging.cursors.after].map((each) =>
        String(Buffer.from(each, 'base64url')).split(':').pop(),
      );
      expect(named).toEqual(data.map((each: { id: string }) => each.id));
    }
    const walked: string[] = [];
    let path = `/${user}/live_videos?limit=1`;
    while (path) {
      const { data, paging } = (await harness.get(path, {}, { token: harness.strangerToken })).body;
      walked.push(...data.map((each: { id: string }) => each.id));
      path = paging?.next?.slice(harness.url.length) ?? '';
    }
    expect(walked).toEqual(shown);
    for (const id of shown) await harness.post(`/${id}`, { privacy: 'SELF' }, { token });
    const none = await harness.get(`/${user}/live_videos`, {}, { token: harness.strangerToken });
    expect(none.body).toEqual({ data: [] });
  });

  test('find the newest visible row behind more invisible ones than the limit', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Planner', managerId: harness.user });
    const { id } = (await harness.post(`/${page}/live_videos`, {})).body;
    await harness.goLive(id);
    const plan = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        harness.clock.advance(1);
        await harness.post(`/${page}/live_videos`, { status: 'UNPUBLISHED' });
      }
    };
    const found = async (params: Record<string, string>) => {
      const asked = { fields: 'id', ...params };
      const { data, paging } = (await harness.get(`/${page}/live_videos`, asked, { token: harness.strangerToken }))
        .body;
      expect({ data, next: paging.next }).toEqual({ data: [{ id }], next: undefined });
    };
    await plan(2);
    await found({ limit: '1', offset: '1' });
    await plan(38);
    await found({ limit: '1' });
    await found({ limit: '2' });
  });

  test('of 3,000 videos are paged evenly, and a cursor survives inserts', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Many', managerId: harness.user });
    const nowMs = harness.clock.wallMs();
    const at = { createdMs: nowMs, updatedMs: nowMs };
    const data = { ownerId: page, ownerKind: 'page', published: true } as const;
    const put = (n: number) => {
      const id = String(10_000_000 + n);
      return [
        { op: 'put', object: { id, kind: 'video', ...at, data } },
        { op: 'edgeAdd', owner: page, edge: 'videos', member: id, score: nowMs + n },
      ] as const;
    };
    await harness.store.objects.commit(Array.from({ length: 3_000 }, (_, n) => put(n)).flat());
    const seen: string[] = [];
    let url = `${harness.url}/${page}/videos?limit=100&fields=id&access_token=${harness.token}`;
    for (let pages = 0; url; pages += 1) {
      const body = (await (await fetch(url)).json()) as { data: { id: string }[]; paging: { next?: string } };
      seen.push(...body.data.map((each) => each.id));
      if (pages === 1) await harness.store.objects.commit([...put(5_000)]);
      url = body.paging.next ?? '';
    }
    expect(seen).toHaveLength(3_000);
    expect(new Set(seen).size).toBe(3_000);
  });
});

describe('thumbnails', () => {
  test('have their size from content, one is preferred, and picture redirects to it', async () => {
    const id = await harness.video();
    const add = (fields: Record<string, string> = {}) =>
      harness.ask('POST', `/${id}/thumbnails`, { body: upload('source', 'a.jpg', PNG, fields) });
    expect((await add()).body).toEqual({ success: true });
    await add({ is_preferred: 'true' });
    const { data } = (await harness.get(`/${id}/thumbnails`)).body;
    expect(
      data.map((each: Record<string, unknown>) => [each.width, each.height, each.scale, each.is_preferred]),
    ).toEqual([
      [1, 1, 1, false],
      [1, 1, 1, true],
    ]);
    expect(data[0].uri).toMatch(/\/files\/videos\/\d+\/thumbnails\/\d+\.png$/);
    await harness.post(`/${id}`, { preferred_thumbnail_id: data[0].id });
    const picture = await harness.get(`/${id}/picture`);
    expect([picture.status, picture.headers.get('location')]).toEqual([302, data[0].uri]);
    expect((await harness.get(`/${id}/picture`, { redirect: '0' })).body.data).toMatchObject({
      url: data[0].uri,
      width: 1,
    });
    expect((await harness.get(`/${id}`, { fields: 'picture' })).body.picture).toBe(data[0].uri);
  });

  /** Headers of images: the server reads nothing else of them. */
  const sized: Readonly<Record<string, (width: number, height: number) => Buffer>> = {
    png: (width, height) => {
      const head = Buffer.from(PNG);
      head.writeUInt32BE(width, 16);
      head.writeUInt32BE(height, 20);
      return head;
    },
    jpeg: (width, height) => {
      const head = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108000000000301220002', 'hex');
      head.writeUInt16BE(height, 25);
      head.writeUInt16BE(width, 27);
      return head;
    },
    'gif, by its screen': (width, height) => gif([width, height], [1, 1]),
    'gif, by its first picture': (width, height) => gif([1, 1], [width, height]),
    'webp, by its canvas': (width, height) => {
      const head = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0'), Buffer.alloc(6)]);
      head.writeUIntLE(width - 1, 24, 3);
      head.writeUIntLE(height - 1, 27, 3);
      return head;
    },
  };

  /** A color table of two entries and an extension stand before the picture. */
  function gif(screen: readonly [number, number], picture: readonly [number, number]): Buffer {
    const head = Buffer.concat([
      Buffer.from('GIF89a\0\0\0\0\x80\0\0', 'latin1'),
      Buffer.alloc(6),
      Buffer.from('21f90401020304002c', 'hex'),
    ]);
    const bytes = Buffer.concat([head, Buffer.alloc(9)]);
    bytes.writeUInt16LE(screen[0], 6);
    bytes.writeUInt16LE(screen[1], 8);
    bytes.writeUInt16LE(picture[0], head.length + 4);
    bytes.writeUInt16LE(picture[1], head.length + 6);
    return bytes;
  }

  const kinds = Object.entries(sized);

  test.each(kinds)('%s: 24 million pixels are accepted, more are refused', async (_format, image) => {
    const id = await harness.video();
    const add = (width: number, height: number) =>
      harness.ask('POST', `/${id}/thumbnails`, { body: upload('source', 'a', image(width, height)) });
    expect((await add(6000, 4000)).body).toEqual({ success: true });
    expect(errorOf(await add(6000, 4001))).toMatchObject({
      code: 100,
      message: expect.stringContaining('6000 × 4001'),
    });
    expect((await harness.get(`/${id}/thumbnails`)).body.data).toMatchObject([{ width: 6000, height: 4000 }]);
  });

  test('the picture of a new video is held to the same size', async () => {
    const body = upload('thumb', 'a.png', sized.png?.(65_535, 65_535) ?? Buffer.alloc(0), {
      upload_phase: 'start',
      file_size: '2000',
    });
    expect(errorOf(await harness.ask('POST', `/${harness.page}/videos`, { body }))).toMatchObject({
      code: 100,
      message: expect.stringContaining('thumb'),
    });
  });

  test('a file that is not an image is refused', async () => {
    const reply = await harness.ask('POST', `/${video}/thumbnails`, {
      body: upload('source', 'a.jpg', 'not an image at all'),
    });
    expect(errorOf(reply)).toMatchObject({ code: 100, message: expect.stringContaining('source') });
  });
});
