/** The scopes `operator_read` and `operator`, and who may exchange a token. */
import { FeedAccess } from '../../src/api/access/feed-access.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import type { StoredObject } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

const config = { publicHttpUrl: 'http://localhost' };
const storedLive = async (id: string) => (await harness.store.objects.get(id)) as StoredObject<LiveVideoData>;

describe('operator_read', () => {
  test('reads errors and feeds of every broadcast, and metrics', async () => {
    const live = await harness.live({ status: 'UNPUBLISHED' });
    const token = await harness.tokenOf(harness.stranger, { scopes: ['operator_read'] });
    expect((await harness.get(`/${live}/errors`, {}, { token })).status).toBe(200);
    const access = new FeedAccess({ ...harness, config });
    try {
      const viewer = await access.authenticate(token);
      expect(await viewer?.mayRead(await storedLive(live))).toBe(true);
      expect(await viewer?.mayWatch(await storedLive(live))).toBe(false);
      expect(await viewer?.mayShare(await storedLive(live))).toBe(false);
      expect(viewer?.ownerIds).toEqual([]);
      expect(await access.mayReadMetrics(token)).toBe(true);
      expect(await access.mayReadMetrics(harness.token)).toBe(false);
    } finally {
      access.close();
    }
  });

  test('reads health_status of every broadcast, also beside its errors, and no other field', async () => {
    const live = await harness.live({ status: 'UNPUBLISHED' });
    const token = await harness.tokenOf(harness.stranger, { scopes: ['operator_read'] });
    const read = async (fields: string) => (await harness.get(`/${live}`, { fields }, { token })).body;
    expect(await read('health_status')).toEqual({ health_status: 'no_data', id: live });
    expect(await read('id,health_status,errors.limit(1)')).toMatchObject({ id: live, health_status: 'no_data' });
    const several = await harness.get('/', { ids: live, fields: 'health_status' }, { token });
    expect(several.body).toEqual({ [live]: { health_status: 'no_data', id: live } });
    for (const fields of ['health_status,title', 'stream_url', 'health_status,from{access_token}', 'hls_preview_url']) {
      expect([fields, (await read(fields)).error?.code]).toEqual([fields, 100]);
    }
    expect((await harness.get(`/${live}`, {}, { token })).body.error?.code).toBe(100);
    const other = await harness.get(`/${live}`, { fields: 'health_status' }, { token: harness.strangerToken });
    expect(other.body.error?.code).toBe(100);
  });

  test('sees pictures of public broadcasts alone', async () => {
    const access = new FeedAccess({ ...harness, config });
    try {
      const [open, hidden, own] = await Promise.all([
        harness.live(),
        harness.live({ status: 'UNPUBLISHED' }),
        harness.live({ privacy: '{"value":"SELF"}' }, harness.user),
      ]);
      for (const id of [open, own]) await harness.goLive(id);
      const seen = async (owner: string, scopes: readonly string[]) => {
        const viewer = await access.authenticate(await harness.tokenOf(owner, { scopes }));
        const lives = await Promise.all([open, hidden, own].map(storedLive));
        return Promise.all(lives.map((live) => viewer?.mayPicture(live)));
      };
      expect(await seen(harness.stranger, ['operator_read'])).toEqual([true, false, false]);
      expect(await seen(harness.user, ['operator_read'])).toEqual([true, false, false]);
      expect(await seen(harness.user, ['pages_read_engagement', 'user_videos'])).toEqual([true, true, true]);
      expect(await seen(harness.stranger, ['user_videos'])).toEqual([false, false, false]);
    } finally {
      access.close();
    }
  });

  test('alone, reads and changes nothing else, not even of its owner', async () => {
    const token = await harness.tokenOf(harness.user, { scopes: ['operator_read'] });
    const live = await harness.live({}, harness.user);
    await harness.goLive(live);
    for (const [method, path] of [
      ['GET', '/me'],
      ['GET', `/${live}`],
      ['GET', '/me/accounts'],
      ['GET', `/${live}/input_streams`],
      ['GET', `/${harness.page}`],
      ['POST', '/me/live_videos'],
      ['POST', `/${live}`],
      ['DELETE', `/${live}`],
    ] as const) {
      const { body } = await harness.ask(method, path, { token });
      expect([method, path, body.error?.code]).toEqual([method, path, 200]);
    }
  });
});

describe('operator', () => {
  test('acts for every owner, but its Page tokens do not', async () => {
    const token = await harness.tokenOf(harness.user, { scopes: ['operator', 'pages_show_list'] });
    const page = await harness.owner({ kind: 'page', name: 'Elsewhere' });
    const created = await harness.post(`/${page}/live_videos`, {}, { token });
    expect(created.status).toBe(200);
    expect((await harness.delete(`/${created.body.id}`, { token })).status).toBe(200);
    const pageToken = (await harness.get(`/${harness.page}`, { fields: 'access_token' }, { token })).body.access_token;
    expect((await harness.post(`/${page}/live_videos`, {}, { token: pageToken })).status).toBe(403);
  });
});

describe('an exchange', () => {
  const ask = (own: ApiHarness, input: string, more: Record<string, string> = {}, token: string | null = null) =>
    own.get('/oauth/access_token', { grant_type: 'fb_exchange_token', fb_exchange_token: input, ...more }, { token });

  test('requires the app secret or a token with the scope operator', async () => {
    const operator = await harness.tokenOf(harness.stranger, { scopes: ['operator'] });
    const reader = await harness.tokenOf(harness.stranger, { scopes: ['operator_read'] });
    expect((await ask(harness, harness.token)).body.error.code).toBe(101);
    expect((await ask(harness, harness.token, { client_id: '77', client_secret: 'no' })).body.error.code).toBe(101);
    expect((await ask(harness, harness.token, {}, harness.token)).body.error.code).toBe(101);
    expect((await ask(harness, harness.token, {}, reader)).body.error.code).toBe(101);
    expect((await ask(harness, harness.token, { client_id: '77', client_secret: 'hush' })).status).toBe(200);
    expect((await ask(harness, harness.token, {}, operator)).status).toBe(200);
  });

  test('is refused by a server without an app secret', async () => {
    const own = await ApiHarness.open();
    try {
      expect((await ask(own, own.token)).body.error.code).toBe(101);
      const operator = await own.tokenOf(own.user, { scopes: ['operator'] });
      expect((await ask(own, own.token, {}, operator)).status).toBe(200);
    } finally {
      await own.close();
    }
  });
});

describe('a token of the command line', () => {
  const issue = async (input: Record<string, unknown>) => {
    const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
    return adminActions({ ...harness, ...config, quota })['token.issue']?.({ owner: harness.user, ...input });
  };

  test('names its scopes and expires after 90 days', async () => {
    await expect(issue({})).rejects.toThrow('scopes is required');
    await expect(issue({ scopes: ['all'], days: 0 })).rejects.toThrow('between 1 and 3650');
    const issued = (await issue({ scopes: ['all'] })) as { token: string; expires_ms: number };
    expect(Math.round((issued.expires_ms - harness.clock.wallMs()) / 86_400_000)).toBe(90);
    const { data } = (await harness.get('/debug_token', { input_token: issued.token })).body;
    expect(data.scopes).toContain('publish_video');
    expect(data.scopes).not.toContain('operator');
  });
});

test('a dock link with encoder set-up reads the OBS profile of its broadcast beside the feed, and nothing else', async () => {
  const access = new FeedAccess({ ...harness, config });
  try {
    const [mine, other] = [await storedLive(await harness.live()), await storedLive(await harness.live())];
    const { token } = await access.issueLink(mine, { withEncoderSetup: true });
    const plain = await access.issueLink(mine);
    expect(await access.authenticate(token)).toHaveProperty('maySetUpEncoder', true);
    expect(await access.authenticate(plain.token)).not.toHaveProperty('maySetUpEncoder');
    const status = async (path: string, by: string, query: Record<string, string> = {}) =>
      (await harness.get(path, query, { token: by })).status;
    const profile = await harness.get(`/${mine.id}/obs_profile`, { type: 'json' }, { token });
    expect(profile.status).toBe(200);
    expect(profile.body.lines.ffmpeg).toContain('rtmps://');
    expect(await status(`/${mine.id}/obs_profile`, plain.token, { type: 'json' })).toBe(401);
    expect(await status(`/${other.id}/obs_profile`, token, { type: 'json' })).toBe(401);
    for (const path of ['/me', `/${mine.id}`, `/${mine.id}/errors`, `/${mine.id}/input_streams`, `/${harness.page}`]) {
      expect([path, await status(path, token)]).toEqual([path, 401]);
    }
    expect((await harness.post(`/${mine.id}/obs_profile`, {}, { token })).status).toBe(401);
    const batch = JSON.stringify([{ method: 'GET', relative_url: `${mine.id}/obs_profile?type=json` }]);
    expect((await harness.post('/', { batch }, { token })).status).toBe(401);
  } finally {
    access.close();
  }
});

test('a dock link with encoder set-up puts the input streams of its broadcast on air, and no others', async () => {
  const access = new FeedAccess({ ...harness, config });
  try {
    const pair = { enable_backup_ingest: 'true' };
    const [mine, other] = [await storedLive(await harness.live(pair)), await storedLive(await harness.live(pair))];
    const [, backup = ''] = mine.data.inputStreamIds ?? [];
    const [link, plain, single] = await Promise.all([
      access.issueLink(mine, { withEncoderSetup: true }),
      access.issueLink(mine),
      access.issueLink(await storedLive(await harness.live()), { withEncoderSetup: true }),
    ]);
    expect(await access.authenticate(link.token)).toHaveProperty('mayPutOnAir', true);
    for (const { token } of [plain, single]) expect(await access.authenticate(token)).not.toHaveProperty('mayPutOnAir');
    const put = (id: string, token: string) => harness.post(`/${id}`, { on_air: 'true' }, { token });
    // The link permits it; no encoder is there to be put on air.
    expect((await put(backup, link.token)).body.error.message).toContain('No encoder publishes to this input stream');
    expect((await put(backup, plain.token)).status).toBe(401);
    expect((await put(other.data.inputStreamIds?.[1] ?? '', link.token)).status).toBe(401);
    expect((await put(mine.id, link.token)).status).toBe(401);
    expect((await harness.get(`/${backup}`, {}, { token: link.token })).status).toBe(401);
  } finally {
    access.close();
  }
});

test('a dock link opens the feed of one broadcast, and nothing else', async () => {
  const access = new FeedAccess({ ...harness, config });
  try {
    const [mine, other] = [await storedLive(await harness.live()), await storedLive(await harness.live())];
    const { token } = await access.issueLink(mine);
    const viewer = await access.authenticate(token);
    const may = async (live: StoredObject<LiveVideoData>) => [
      await viewer?.mayRead(live),
      await viewer?.mayWatch(live),
      await viewer?.mayShare(live),
    ];
    expect(await may(mine)).toEqual([true, false, false]);
    expect(await may(other)).toEqual([false, false, false]);
    expect(await access.mayReadMetrics(token)).toBe(false);
    for (const path of ['/me', `/${mine.id}`, `/${mine.id}/errors`, `/${harness.page}`]) {
      expect((await harness.get(path, {}, { token })).status).toBe(401);
    }
    const exchange = {
      grant_type: 'fb_exchange_token',
      client_id: '77',
      client_secret: 'hush',
      fb_exchange_token: token,
    };
    expect((await harness.get('/oauth/access_token', exchange, { token: null })).status).toBe(401);
  } finally {
    access.close();
  }
});
