import { revokeToken } from '../../src/api/access/token-issue.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';
import { setFriends, setRole } from '../support/relations.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

describe('visibility', () => {
  const privacies: [string, string, string[]][] = [
    ['EVERYONE', '{"value":"EVERYONE"}', ['self', 'friend', 'second', 'stranger']],
    ['ALL_FRIENDS', '{"value":"ALL_FRIENDS"}', ['self', 'friend']],
    ['FRIENDS_OF_FRIENDS', '{"value":"FRIENDS_OF_FRIENDS"}', ['self', 'friend', 'second']],
    ['SELF', '{"value":"SELF"}', ['self']],
    ['CUSTOM, all friends except one', '{"value":"CUSTOM","allow":"ALL_FRIENDS","deny":"FRIEND"}', ['self']],
    ['CUSTOM, one user', '{"value":"CUSTOM","allow":"STRANGER"}', ['self', 'stranger']],
  ];
  const tokens: Record<string, string> = {};
  let friend = '';
  let owner = '';

  beforeAll(async () => {
    const person = (name: string) => harness.owner({ kind: 'user', name, profileAgeDays: 90, followers: 150 });
    owner = await person('Self');
    friend = await person('Friend');
    const second = await person('Second');
    await setFriends(harness, owner, friend);
    await setFriends(harness, friend, second);
    for (const [name, id] of [
      ['self', owner],
      ['friend', friend],
      ['second', second],
    ] as const) {
      tokens[name] = await harness.tokenOf(id);
    }
    tokens.stranger = harness.strangerToken;
  });

  test.each(privacies)('a video with privacy %s is visible to its audience only', async (_name, privacy, audience) => {
    const value = privacy.replace('FRIEND"', `${friend}"`).replace('STRANGER', harness.stranger);
    const live = await harness.post(`/${owner}/live_videos`, { privacy: value }, { token: tokens.self ?? '' });
    expect(live.status).toBe(200);
    const id = live.body.id;
    await harness.goLive(id);
    const video = (await harness.get(`/${id}`, { fields: 'video' }, { token: tokens.self ?? '' })).body.video.id;
    for (const what of [id, video]) {
      const seen: string[] = [];
      for (const [name, token] of Object.entries(tokens)) {
        const reply = await harness.get(`/${what}`, {}, { token });
        if (reply.status === 200) seen.push(name);
        else expect(errorOf(reply)).toMatchObject({ code: 100, error_subcode: 33 });
      }
      expect(seen).toEqual(audience);
    }
    const listed = await harness.get(
      `/${owner}/live_videos`,
      { limit: '1', fields: 'id' },
      { token: tokens.stranger ?? '' },
    );
    expect(listed.body.data.some((each: { id: string }) => each.id === id)).toBe(audience.includes('stranger'));
  });

  test('a secret group looks nonexistent to nonmembers; a closed group hides its content', async () => {
    for (const privacy of ['SECRET', 'CLOSED'] as const) {
      const group = await harness.owner({ kind: 'group', name: 'G', privacy, managerId: harness.user });
      const live = await harness.live({}, group);
      await harness.goLive(live);
      const asStranger = (id: string) => harness.get(`/${id}`, {}, { token: harness.strangerToken });
      expect((await asStranger(live)).status).toBe(400);
      expect((await asStranger(group)).status).toBe(privacy === 'SECRET' ? 400 : 200);
      await setRole(harness, group, harness.stranger, ['ANALYZE']);
      expect((await asStranger(live)).status).toBe(200);
    }
  });

  test('tasks of a role permit publishing, moderating and insights', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Tasks', managerId: harness.user });
    const helper = await harness.owner({ kind: 'user', name: 'Helper' });
    const token = await harness.tokenOf(helper);
    const create = () => harness.post(`/${page}/live_videos`, {}, { token });
    expect(errorOf(await create())).toMatchObject({ code: 200 });
    await setRole(harness, page, helper, ['MODERATE']);
    expect(errorOf(await create())).toMatchObject({ code: 200, message: expect.stringContaining('CREATE_CONTENT') });
    await setRole(harness, page, helper, ['CREATE_CONTENT']);
    expect((await create()).status).toBe(200);
    await setRole(harness, page, helper, []);
    expect(errorOf(await create())).toMatchObject({ code: 200 });
  });
});

test('a token without the scope to publish gets no stream URL, which contains the key', async () => {
  const made = await harness.ask('POST', `/${harness.page}/live_videos`, {
    token: await harness.tokenOf(harness.page),
    form: { enable_backup_ingest: 'true' },
  });
  const { id } = made.body;
  const urls = 'stream_url,secure_stream_url,stream_secondary_urls,secure_stream_secondary_urls';
  const query = { fields: `${urls},ingest_streams{stream_url,secure_stream_url}` };
  const ask = async (scope: string) => {
    const token = await harness.tokenOf(harness.page, { scopes: [scope] });
    const profile = await harness.ask('GET', `/${id}/obs_profile`, { token });
    return [JSON.stringify((await harness.ask('GET', `/${id}`, { token, query })).body), profile.status] as const;
  };
  const [read, profile] = await ask('read_insights');
  expect(read).toContain(id);
  expect(read).not.toContain('rtmps:');
  expect(profile).toBe(403);
  const [published, ready] = await ask('pages_manage_posts');
  expect(published.match(/rtmps:/g)?.length).toBeGreaterThanOrEqual(6);
  expect(ready).toBe(200);
});

describe('Page tokens', () => {
  test('me/accounts returns the same Page token on each read, and it is revoked with the user’s token', async () => {
    const token = await harness.tokenOf(harness.user);
    const accounts = () => harness.get('/me/accounts', {}, { token });
    const row = (await accounts()).body.data.find((each: { id: string }) => each.id === harness.page);
    expect(Object.keys(row)).toEqual(['access_token', 'category', 'category_list', 'name', 'id', 'tasks']);
    expect(row.tasks).toContain('MANAGE');
    const again = await harness.get(`/${harness.page}`, { fields: 'access_token' }, { token });
    expect(again.body.access_token).toBe(row.access_token);
    expect((await harness.get('/me', {}, { token: row.access_token })).body).toEqual({
      id: harness.page,
      name: 'Paula Page',
    });
    expect((await harness.post('/me/live_videos', {}, { token: row.access_token })).status).toBe(200);
    await revokeToken(harness, token);
    expect((await harness.get('/me', {}, { token: row.access_token })).status).toBe(401);
  });

  test('a user without a role gets no Page token', async () => {
    const reply = await harness.get(
      `/${harness.page}`,
      { fields: 'name,access_token' },
      { token: harness.strangerToken },
    );
    expect(reply.body).toEqual({ name: 'Paula Page', id: harness.page });
    expect((await harness.get(`/${harness.user}/accounts`, {}, { token: harness.strangerToken })).status).toBe(403);
  });
});

describe('token endpoints', () => {
  test('debug_token inspects the own token, any token with the app token, and invalid tokens', async () => {
    const own = await harness.get('/debug_token', { input_token: harness.token });
    expect(own.body.data).toMatchObject({
      app_id: '77',
      type: 'USER',
      is_valid: true,
      user_id: harness.user,
      expires_at: 0,
      scopes: expect.arrayContaining(['publish_video']),
    });
    const app = await harness.get(
      '/debug_token',
      { input_token: harness.strangerToken, access_token: '77|hush' },
      { token: null },
    );
    expect(app.body.data.user_id).toBe(harness.stranger);
    const bad = await harness.get('/debug_token', { input_token: 'x' });
    expect([bad.status, bad.body.data.is_valid, bad.body.data.error.code]).toEqual([200, false, 190]);
    expect(errorOf(await harness.get('/debug_token', { input_token: harness.strangerToken }))).toMatchObject({
      code: 100,
    });
  });

  test('oauth/access_token returns the app token, and an exchanged token that is revoked with its source', async () => {
    const ask = (query: Record<string, string>) => harness.get('/oauth/access_token', query, { token: null });
    const app = await ask({ grant_type: 'client_credentials', client_id: '77', client_secret: 'hush' });
    expect(app.body).toEqual({ access_token: '77|hush', token_type: 'bearer' });
    expect(errorOf(await ask({ grant_type: 'client_credentials', client_id: '77', client_secret: 'no' })).code).toBe(
      101,
    );
    const source = await harness.tokenOf(harness.user);
    const exchange = {
      grant_type: 'fb_exchange_token',
      client_id: '77',
      client_secret: 'hush',
      fb_exchange_token: source,
    };
    const long = await ask(exchange);
    expect(long.body).toMatchObject({ token_type: 'bearer', expires_in: 60 * 86_400 });
    expect((await harness.get('/me', {}, { token: long.body.access_token })).status).toBe(200);
    await revokeToken(harness, source);
    expect((await harness.get('/me', {}, { token: long.body.access_token })).status).toBe(401);
  });

  test('permissions are read, removed one by one, or removed with the token', async () => {
    const token = await harness.tokenOf(harness.user);
    const granted = async () =>
      (await harness.get('/me/permissions', {}, { token })).body.data
        .filter((each: { status: string }) => each.status === 'granted')
        .map((each: { permission: string }) => each.permission);
    expect(await granted()).toContain('publish_video');
    expect((await harness.delete('/me/permissions/publish_video', { token })).body).toEqual({ success: true });
    expect(await granted()).not.toContain('publish_video');
    await harness.delete('/me/permissions', { token });
    expect((await harness.get('/me', {}, { token })).status).toBe(401);
  });

  test('a Page is found by its username', async () => {
    await harness.owner({ kind: 'page', name: 'Named', username: 'The.Page' });
    expect((await harness.get('/the.page')).body.name).toBe('Named');
  });
});

describe('CORS', () => {
  test('any origin is allowed without credentials, in the preflight too', async () => {
    const preflight = await harness.ask('OPTIONS', '/me', { token: null });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

test('strict enforcement refuses LIVE_NOW with open errors by LIVE_VIDEO__LIVE_STREAM_ERROR', async () => {
  const { raised } = await import('../support/store-harness.js');
  const strict = await ApiHarness.open({ enforce: 'strict' });
  try {
    const id = await strict.live({ status: 'UNPUBLISHED' });
    await strict.store.records.append([raised(id, 1, 1)]);
    const reply = await strict.post(`/${id}`, { status: 'LIVE_NOW' });
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ code: 100, error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR' });
  } finally {
    await strict.close();
  }
});

test('a list reads further pages while all rows of a page are filtered out', async () => {
  const user = await harness.owner({ kind: 'user', name: 'Filled', profileAgeDays: 90, followers: 150 });
  const token = await harness.tokenOf(user);
  const page = await harness.owner({ kind: 'page', name: 'Older Page', managerId: user });
  for (const name of ['A', 'B']) await harness.owner({ kind: 'group', name, managerId: user });
  const live: string[] = [];
  for (const privacy of ['EVERYONE', 'SELF', 'SELF', 'SELF']) {
    const { id } = (await harness.post(`/${user}/live_videos`, { privacy, fields: 'video' }, { token })).body;
    await harness.goLive(id);
    live.push((await harness.get(`/${id}`, { fields: 'video' }, { token })).body.video.id);
    harness.clock.advance(5);
  }
  const first = async (path: string, asked: string) =>
    (await harness.get(path, { limit: '1', fields: 'id' }, { token: asked })).body.data;
  expect(await first('/me/accounts', token)).toEqual([{ id: page }]);
  expect(await first(`/${user}/videos`, harness.strangerToken)).toEqual([{ id: live[0] }]);
});
