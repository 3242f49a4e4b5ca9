/** Embedding in third-party pages: which videos may be embedded, and the page in the iframe. */
import type { VideoData } from '../../src/lifecycle/documents.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const markupOf = async (id: string) => (await harness.get(`/${id}`, { fields: 'embed_html' })).body.embed_html;
const frame = (id: string) => harness.ask('GET', `/embed/${id}`, { token: null });
const videoOf = async (live: string) => (await harness.get(`/${live}`, { fields: 'video' })).body.video.id as string;

async function set(id: string, data: Partial<VideoData>): Promise<void> {
  const video = await harness.store.objects.get<VideoData>(id);
  if (video === undefined) throw new Error(`no video ${id}`);
  await harness.store.objects.commit([{ op: 'put', object: { ...video, data: { ...video.data, ...data } } }]);
}

test('a broadcast is embeddable only once LIVE, and then plays its playlist', async () => {
  const live = await harness.live({ title: '<script>alert("&")</script>' });
  const video = await videoOf(live);
  expect(await markupOf(live)).toBe('');
  expect(await markupOf(video)).toBeUndefined();
  expect((await frame(video)).status).toBe(404);
  await harness.goLive(live);
  const markup = await markupOf(live);
  expect(markup).toContain(`<iframe src="${harness.url}/embed/${video}" width="640" height="360"`);
  expect(await markupOf(video)).toBe(markup);
  const page = await frame(video);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors \*/);
  expect(page.text).toContain(`<source src="/playback/${live}/index.m3u8?ticket=t"`);
  expect(page.text).not.toContain('<script');
  const links = await harness.get(`/${live}`, { fields: 'hls_preview_url,flv_preview_url,dash_preview_url' });
  expect(links.body).toEqual({
    hls_preview_url: `${harness.url}/playback/${live}/index.m3u8?ticket=t`,
    flv_preview_url: `${harness.url}/playback/${live}.flv?ticket=t`,
    id: live,
  });
});

test('a recording plays its file, with its preferred thumbnail', async () => {
  const id = await harness.video();
  expect((await frame(id)).text).toContain('not ready yet');
  await set(id, { sourceUrl: `/files/videos/${id}/source.mp4`, width: 1280, height: 720 });
  expect(await markupOf(id)).toContain('width="1280" height="720"');
  expect((await frame(id)).text).toContain(`src="/files/videos/${id}/source.mp4"`);
  const format = (await harness.get(`/${id}`, { fields: 'format' })).body.format[0];
  expect(format.embed_html).toBe(await markupOf(id));
});

test.each<[string, () => Promise<string>]>([
  ['a video whose owner disabled embedding', async () => change(await harness.video(), { embeddable: 'false' })],
  ['a video for friends', async () => videoOf(await goneLive({ privacy: 'ALL_FRIENDS' }, harness.user))],
  ['a video in a closed group', async () => videoOf(await goneLive({}, await closedGroup()))],
  ['an id that is not a video’s', async () => harness.page],
  ['an unknown id', async () => '123'],
  ['a malformed id', async () => 'x'],
])('%s cannot be embedded', async (_what, make) => {
  const id = await make();
  expect((await frame(id)).status).toBe(404);
  expect((await frame(id)).text).toContain('cannot be shown');
  if (/^\d{4,}$/.test(id)) expect(await embedOrNothing(id)).toBeUndefined();
});

test('a user’s public video and a video in an open group are embeddable', async () => {
  for (const live of [await goneLive({ privacy: 'EVERYONE' }, harness.user), await goneLive({}, harness.group)]) {
    expect((await frame(await videoOf(live))).status).toBe(200);
    expect(await markupOf(live)).toContain('<iframe');
  }
});

async function embedOrNothing(id: string): Promise<unknown> {
  const { body } = await harness.get(`/${id}`, { fields: 'embed_html' });
  return body.embed_html;
}

async function change(id: string, form: Record<string, string>): Promise<string> {
  expect((await harness.post(`/${id}`, form)).body).toEqual({ success: true });
  return id;
}

async function goneLive(form: Record<string, string>, owner: string): Promise<string> {
  const live = await harness.live(form, owner);
  await harness.goLive(live);
  return live;
}

function closedGroup(): Promise<string> {
  return harness.owner({ kind: 'group', name: 'Club', managerId: harness.user, privacy: 'CLOSED' });
}

test('every field of the conventions can be requested; fields without a value are omitted', async () => {
  const live = await harness.live();
  const video = await videoOf(live);
  const asked: [string, string][] = [
    [
      video,
      'event,place,copyright,audio_isrc,music_video_copyright,boost_eligibility_info,icon,premiere_living_room_status',
    ],
    [live, 'dash_ingest_url,dash_preview_url,copyright,ad_break_config,ad_break_failure_reason,overlay_url'],
    [harness.user, 'picture'],
    [harness.page, 'picture,cover'],
    [harness.group, 'icon,cover'],
  ];
  for (const [id, fields] of asked) expect((await harness.get(`/${id}`, { fields })).body).toEqual({ id });
  expect((await harness.get(`/${video}`, { fields: 'nonsense' })).status).toBe(400);
});

describe('addresses that a browser opens', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const open = (path: string, accept: string) =>
    fetch(`${harness.url}${path}`, { redirect: 'manual', headers: { accept } });
  const placeOf = async (path: string) => (await open(path, BROWSER)).headers.get('location');

  test('`/` leads to the dashboard', async () => {
    expect(await placeOf('/')).toBe('/dashboard/');
  });

  test.each([BROWSER, '*/*'])('permalink_url opens the page of a published video for %s, or words', async (accept) => {
    const live = await harness.live({ title: 'A <b> title', description: 'Some words' });
    const video = await videoOf(live);
    await change(video, { embeddable: 'false' });
    const { permalink_url: path } = (await harness.get(`/${video}`, { fields: 'permalink_url' })).body;
    const opened = async (at: string) => {
      const page = await open(at, accept);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      return { status: page.status, text: await page.text() };
    };
    const before = await opened(path);
    expect(before).toMatchObject({ status: 404, text: expect.stringContaining('There is no public video here.') });
    await harness.goLive(live);
    const shown = await opened(path);
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('<p>A &lt;b&gt; title</p>') });
    expect(shown.text).toContain('<p>Paula Page</p><p>Some words</p><video');
    expect(shown.text).toContain(`/playback/${live}/index.m3u8?ticket=t`);
    // Nothing tells whether there is a video that is not public.
    const never = await opened('/1/videos/99999/');
    expect({ ...never, text: never.text.replace('99999', video) }).toEqual(before);
    expect(await opened(`/${harness.group}/videos/${video}/`)).toEqual(before);
  });

  test('programs get JSON there', async () => {
    for (const path of ['/', '/1/videos/2/']) {
      for (const accept of path === '/' ? ['*/*', 'application/json'] : ['application/json']) {
        const answer = await open(path, accept);
        expect([answer.headers.get('content-type'), answer.status >= 400]).toEqual([
          expect.stringContaining('application/json'),
          true,
        ]);
      }
    }
    expect((await open('/?ids=1', BROWSER)).headers.get('content-type')).toContain('application/json');
  });
});
