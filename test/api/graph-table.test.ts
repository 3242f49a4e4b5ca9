/** Calls every route in `src/spec/graph.ts`, compares the table with the published document, and finds missing routes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import { ROUTES } from '../../src/api/routes.js';
import { keepMatches } from '../../src/detection/matches.js';
import { GRAPH, SERVICE_PATHS } from '../../src/spec/graph.js';
import { ApiHarness } from '../support/api-harness.js';
import { PNG, placeholders, upload } from '../support/graph-objects.js';
import { RedisServer } from '../support/redis-server.js';

let harness: ApiHarness;
let shared: Record<string, string> | undefined;

const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

const APP = { appId: '77', appSecret: 'hush' };

const exchange = async () => ({
  grant_type: 'fb_exchange_token',
  client_id: APP.appId,
  client_secret: APP.appSecret,
  fb_exchange_token: await harness.tokenOf(harness.user),
});

/** Edges that answer with one object. */
const SINGLE = ['picture', 'report', 'obs_profile'];

type Extra = (ids: Record<string, string>) => Promise<Parameters<ApiHarness['ask']>[2]>;
const form =
  (fields: Record<string, string>): Extra =>
  async () => ({ form: fields });

/** Of a match of the video or live video. */
async function disputing(id: string): Promise<Parameters<ApiHarness['ask']>[2]> {
  const at = { start_ms: 0, offset_ms: 0, length_ms: 20_000, error_rate: 0.05, confidence: 0.9 };
  const match = { reference_id: '1', page_id: '2', policy: 'monitor', ...at } as const;
  await keepMatches(harness.store.objects, { id, ownerId: harness.page }, [match], 1);
  return { form: { match_id: `${id}_1_0`, dispute: 'Our own song.' } };
}

const TARGET = { url: 'rtmps://live.example.com/app', stream_key: 'a-key' };

/** One forward for all routes: an owner may have few. */
async function withForward(ids: Record<string, string>): Promise<void> {
  if (ids['forward-id'] !== undefined) return;
  const { body } = await harness.post(`/${ids['live-video-id']}/forwards`, TARGET);
  ids['forward-id'] = body.id;
  if (shared !== undefined) shared['forward-id'] = body.id;
}

/** Parameters of the routes that require some. */
const NEEDS: Record<string, Extra> = {
  'POST /{group-id}/videos': async (ids) => ({ form: { crossposted_video_id: ids['video-id'] ?? '' } }),
  'POST /{page-id}/videos': async (ids) => ({ form: { crossposted_video_id: ids['video-id'] ?? '' } }),
  'POST /{page-id}/copyright_references': async (ids) => ({ form: { video_id: ids['video-id'] ?? '' } }),
  'DELETE /{page-id}/copyright_references': async (ids) => {
    const reference = { video_id: ids['video-id'] ?? '' };
    await harness.post(`/${harness.page}/copyright_references`, reference);
    return { query: reference };
  },
  'POST /{video-id}/copyright_matches': (ids) => disputing(ids['video-id'] ?? ''),
  'POST /{live-video-id}/copyright_matches': (ids) => disputing(ids['live-video-id'] ?? ''),
  'POST /{page-id}/assigned_users': async () => ({ form: { user: harness.stranger, tasks: 'ANALYZE' } }),
  'DELETE /{page-id}/assigned_users': async () => ({ query: { user: harness.stranger } }),
  'POST /{group-id}': form({ privacy: 'OPEN' }),
  'POST /{group-id}/members': async () => ({ form: { member: harness.stranger } }),
  'DELETE /{group-id}/members': async () => ({ query: { member: harness.stranger } }),
  'POST /{user-id}': async () => ({
    form: { followers_count: '150' },
    token: await harness.tokenOf(harness.user, { scopes: ['operator'] }),
  }),
  'POST /{user-id}/friends': async () => ({ form: { uid: harness.stranger } }),
  'DELETE /{user-id}/friends': async () => ({ query: { uid: harness.stranger } }),
  'POST /{page-id}/forwards': form(TARGET),
  'POST /{group-id}/forwards': form(TARGET),
  'POST /{user-id}/forwards': form(TARGET),
  'POST /{live-video-id}/forwards': form(TARGET),
  'GET /{forward-id}': async (ids) => {
    await withForward(ids);
    return {};
  },
  'POST /{forward-id}': async (ids) => {
    await withForward(ids);
    return { form: { name: 'Origin' } };
  },
  'DELETE /{forward-id}': async (ids) => {
    await withForward(ids);
    return {};
  },
  'POST /{video-id}': form({ name: 'Named' }),
  'POST /{video-id}/captions': async () => ({ body: upload('captions_file', 'a.en_US.srt', SRT) }),
  'POST /{video-id}/comments': form({ message: 'Hello' }),
  'POST /{video-id}/polls': form({ question: 'Tea?', options: 'yes,no' }),
  'POST /{video-id}/thumbnails': async () => ({ body: upload('source', 't.png', PNG) }),
  'POST /{live_video_id}/polls': form({ question: 'Tea?', 'options[0]': 'yes', 'options[1]': 'no' }),
  'POST /{video_poll_id}': form({ action: 'SHOW_RESULTS' }),
  'POST /{user-id}/live_videos': form({ privacy: 'EVERYONE' }),
  'POST /{live-video-id}': form({ title: 'Titled' }),
  'POST /{live-video-id}/input_streams': async (ids) => {
    ids['live-video-id'] = await harness.live();
    return {};
  },
  'POST /{comment-id}': form({ message: 'Better' }),
  'POST /{comment-id}/comments': form({ message: 'Reply' }),
  'DELETE /{user-id}/permissions': async () => ({ token: await harness.tokenOf(harness.user) }),
  'GET /': async () => ({ query: { ids: `${harness.page},${harness.user}` } }),
  'POST /': form({ batch: '[{"method":"GET","relative_url":"me"}]' }),
  'GET /debug_token': async () => ({ query: { input_token: harness.token } }),
  'GET /oauth/access_token': async () => ({
    query: await exchange(),
  }),
  'POST /oauth/access_token': async () => ({
    form: await exchange(),
  }),
};

const EVENTS = ['live_comments', 'live_reactions'];

describe.each(['lmdb', 'redis'])('on %s', (kind) => {
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    redis = kind === 'redis' ? await RedisServer.start() : undefined;
    harness = await ApiHarness.open(APP, redis?.url);
  });
  afterAll(async () => {
    shared = undefined;
    await harness.close();
    await redis?.stop();
  });

  test.each(GRAPH.filter((route) => !EVENTS.includes(route.edge ?? '')).map((route) => [route.key, route] as const))(
    '%s',
    async (key, route) => {
      // All share their objects until one is deleted.
      shared ??= await placeholders(harness);
      const ids = { ...shared };
      if (route.method === 'DELETE') shared = undefined;
      const extra = (await NEEDS[key]?.(ids)) ?? {};
      const path = route.path.replace(/\{([^}]+)\}/g, (_all, name: string) => ids[name] ?? `no-${name}`);
      const reply = await harness.ask(route.method, path, extra);
      expect({ key, status: reply.status, text: reply.text }).toEqual({
        key,
        status: route.edge === 'picture' ? 302 : 200,
        text: reply.text,
      });
      const isList =
        route.method === 'GET' && route.edge !== null && route.node !== null && !SINGLE.includes(route.edge);
      if (isList) expect(reply.body.data).toEqual(expect.any(Array));
      else if (route.method === 'DELETE') expect(reply.body).toMatchObject({ success: true });
      else if (route.node !== null && route.method === 'GET' && route.edge === null) {
        expect(reply.body.id).toBe(path.slice(1));
      }
    },
  );

  test.each(GRAPH.filter((route) => EVENTS.includes(route.edge ?? '')).map((route) => [route.key, route] as const))(
    '%s sends what viewers do as events',
    async (_key, route) => {
      const live = await harness.live();
      await harness.goLive(live);
      const video = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
      const abort = new AbortController();
      const response = await fetch(`${harness.url}/${live}/${route.edge}?access_token=${harness.token}`, {
        signal: abort.signal,
      });
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader.read()).value).toBe(': ping\n\n');
      if (route.edge === 'live_comments') await harness.post(`/${video}/comments`, { message: 'Live!' });
      else await harness.post(`/${video}/likes`);
      const { value } = await reader.read();
      const event = JSON.parse((value ?? '').replace(/^data: /, ''));
      expect(event.from).toEqual({ id: harness.user, name: 'Uma User' });
      expect(event).toMatchObject(route.edge === 'live_comments' ? { message: 'Live!' } : { reaction_type: 'LIKE' });
      abort.abort();
    },
  );

  test('every route that requires a token refuses a request without one', async () => {
    const open = ['GET /oauth/access_token', 'POST /oauth/access_token', 'GET /video_encoder_settings'];
    const ids = await placeholders(harness);
    await withForward(ids);
    for (const route of GRAPH.filter((each) => !open.includes(each.key))) {
      const path = route.path.replace(/\{([^}]+)\}/g, (_all, name: string) => ids[name] ?? '');
      const { error } = (await harness.ask(route.method, `${path}?ids=1&batch=[]`, { token: null })).body;
      expect([route.key, error?.code]).toEqual([route.key, 104]);
    }
  });

  test('every route of an invisible object responds as if the object did not exist', async () => {
    const hidden = await harness.live({ status: 'UNPUBLISHED' });
    const video = (await harness.get(`/${hidden}`, { fields: 'video' })).body.video.id;
    for (const route of GRAPH.filter((each) => each.node === 'video' || each.node === 'live_video')) {
      const path = (id: string) => route.path.replace(/\{[^}]+\}/, id);
      const ask = (id: string) => harness.ask(route.method, path(id), { token: harness.strangerToken });
      const [seen, never] = await Promise.all([ask(route.node === 'video' ? video : hidden), ask('12345')]);
      const { fbtrace_id: _one, message: text, ...rest } = seen.body.error;
      const { fbtrace_id: _two, message: other, ...expected } = never.body.error;
      expect([route.key, rest]).toEqual([route.key, expected]);
      expect(text.replace(/\d{5,}/g, 'ID')).toBe(other.replace('12345', 'ID'));
    }
  });
});

test('docs/endpoints.md has every route of the table with its purpose, in order', () => {
  const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'endpoints.md'), 'utf8');
  const rows = [...document.matchAll(/^\| (GET|POST|DELETE) \| (\S+) \| (.+) \|$/gm)].map(
    ([, method, path, purpose]) => ({ key: `${method} ${path}`, purpose }),
  );
  expect(rows).toEqual(GRAPH.map(({ key, purpose }) => ({ key, purpose })));
});

test('the table has every published route', () => {
  const published = GRAPH.filter((route) => route.source === 'published').map((route) => route.key);
  const videoEdges =
    'captions comments crosspost_shared_pages likes poll_settings polls shared_posts sponsor_tags tags thumbnails video_insights';
  expect(published).toEqual([
    'GET /{group-id}/videos',
    'POST /{group-id}/videos',
    'GET /{page-id}/videos',
    'POST /{page-id}/videos',
    'GET /{user-id}/videos',
    'GET /{video-id}',
    ...videoEdges.split(' ').map((edge) => `GET /{video-id}/${edge}`),
    'POST /{video-id}',
    ...['captions', 'comments', 'polls', 'thumbnails'].map((edge) => `POST /{video-id}/${edge}`),
    'DELETE /{video-id}',
    'DELETE /{video-id}/captions',
    'GET /{live-video-id}/polls',
    'GET /{video-poll-id}',
    'POST /{live_video_id}/polls',
    'POST /{video_poll_id}',
  ]);
});

test('every route of a node has a rule and a handler', () => {
  const ofObjects = GRAPH.filter((route) => route.node !== null);
  expect(Object.keys(ROUTES).sort()).toEqual(ofObjects.map((route) => route.key).sort());
});

type Route = (this: unknown, path: unknown, ...handlers: unknown[]) => unknown;

test('every Express route is in the tables', async () => {
  const routes: string[] = [];
  const { application } = express;
  const methods = ['get', 'post', 'put', 'delete', 'all'];
  const own = methods.map((method): Route => Reflect.get(application, method));
  for (const [index, method] of methods.entries()) {
    Reflect.set(application, method, function (this: unknown, path: unknown, ...handlers: unknown[]) {
      // With a name alone, `get` reads a setting.
      if (handlers.length > 0) routes.push(`${method.toUpperCase()} ${String(path).replace(':video', '{video-id}')}`);
      return own[index]?.call(this, path, ...handlers);
    });
  }
  harness = await ApiHarness.open(APP);
  for (const [index, method] of methods.entries()) Reflect.set(application, method, own[index]);
  expect(routes.sort()).toEqual(SERVICE_PATHS.map((each) => `${each.method} ${each.path}`).sort());
  await harness.close();
});
