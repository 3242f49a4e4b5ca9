import { revokeToken } from '../../src/api/access/token-issue.js';
import { setFriends, setRole } from '../../src/api/admin/owners.js';
import { ApiWorld } from '../support/api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => world.close());

const error = (reply: { body: { error: Record<string, unknown> } }) => reply.body.error;

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
    const person = (name: string) => world.owner({ kind: 'user', name, profileAgeDays: 90, followers: 150 });
    owner = await person('Self');
    friend = await person('Friend');
    const second = await person('Second');
    await setFriends(world, owner, friend);
    await setFriends(world, friend, second);
    for (const [name, id] of [
      ['self', owner],
      ['friend', friend],
      ['second', second],
    ] as const) {
      tokens[name] = await world.tokenOf(id);
    }
    tokens.stranger = world.strangerToken;
  });

  test.each(privacies)('a video with privacy %s is visible to its audience only', async (_name, privacy, audience) => {
    const value = privacy.replace('FRIEND"', `${friend}"`).replace('STRANGER', world.stranger);
    const live = await world.post(`/${owner}/live_videos`, { privacy: value }, { token: tokens.self ?? '' });
    expect(live.status).toBe(200);
    const id = live.body.id;
    await world.goLive(id);
    const video = (await world.get(`/${id}`, { fields: 'video' }, { token: tokens.self ?? '' })).body.video.id;
    for (const what of [id, video]) {
      const seen: string[] = [];
      for (const [name, token] of Object.entries(tokens)) {
        const reply = await world.get(`/${what}`, {}, { token });
        if (reply.status === 200) seen.push(name);
        else expect(error(reply)).toMatchObject({ code: 100, error_subcode: 33 });
      }
      expect(seen).toEqual(audience);
    }
    const listed = await world.get(
      `/${owner}/live_videos`,
      { limit: '1', fields: 'id' },
      { token: tokens.stranger ?? '' },
    );
    expect(listed.body.data.some((each: { id: string }) => each.id === id)).toBe(audience.includes('stranger'));
  });

  test('a secret group looks nonexistent to nonmembers; a closed group hides its content', async () => {
    for (const privacy of ['SECRET', 'CLOSED'] as const) {
      const group = await world.owner({ kind: 'group', name: 'G', privacy, managerId: world.user });
      const live = await world.live({}, group);
      await world.goLive(live);
      const asStranger = (id: string) => world.get(`/${id}`, {}, { token: world.strangerToken });
      expect((await asStranger(live)).status).toBe(400);
      expect((await asStranger(group)).status).toBe(privacy === 'SECRET' ? 400 : 200);
      await setRole(world, group, world.stranger, ['ANALYZE']);
      expect((await asStranger(live)).status).toBe(200);
    }
  });

  test('tasks of a role permit publishing, moderating and insights', async () => {
    const page = await world.owner({ kind: 'page', name: 'Tasks', managerId: world.user });
    const helper = await world.owner({ kind: 'user', name: 'Helper' });
    const token = await world.tokenOf(helper);
    const create = () => world.post(`/${page}/live_videos`, {}, { token });
    expect(error(await create())).toMatchObject({ code: 200 });
    await setRole(world, page, helper, ['MODERATE']);
    expect(error(await create())).toMatchObject({ code: 200, message: expect.stringContaining('CREATE_CONTENT') });
    await setRole(world, page, helper, ['CREATE_CONTENT']);
    expect((await create()).status).toBe(200);
    await setRole(world, page, helper, []);
    expect(error(await create())).toMatchObject({ code: 200 });
  });
});

describe('Page tokens', () => {
  test('me/accounts returns the same Page token on each read, and it is revoked with the user’s token', async () => {
    const token = await world.tokenOf(world.user);
    const accounts = () => world.get('/me/accounts', {}, { token });
    const row = (await accounts()).body.data.find((each: { id: string }) => each.id === world.page);
    expect(Object.keys(row)).toEqual(['access_token', 'category', 'category_list', 'name', 'id', 'tasks']);
    expect(row.tasks).toContain('MANAGE');
    const again = await world.get(`/${world.page}`, { fields: 'access_token' }, { token });
    expect(again.body.access_token).toBe(row.access_token);
    expect((await world.get('/me', {}, { token: row.access_token })).body).toEqual({
      id: world.page,
      name: 'Paula Page',
    });
    expect((await world.post('/me/live_videos', {}, { token: row.access_token })).status).toBe(200);
    await revokeToken(world, token);
    expect((await world.get('/me', {}, { token: row.access_token })).status).toBe(401);
  });

  test('a user without a role gets no Page token', async () => {
    const reply = await world.get(`/${world.page}`, { fields: 'name,access_token' }, { token: world.strangerToken });
    expect(reply.body).toEqual({ name: 'Paula Page', id: world.page });
    expect((await world.get(`/${world.user}/accounts`, {}, { token: world.strangerToken })).status).toBe(403);
  });
});

describe('token endpoints', () => {
  test('debug_token inspects the own token, any token with the app token, and invalid tokens', async () => {
    const own = await world.get('/debug_token', { input_token: world.token });
    expect(own.body.data).toMatchObject({
      app_id: '77',
      type: 'USER',
      is_valid: true,
      user_id: world.user,
      expires_at: 0,
      scopes: expect.arrayContaining(['publish_video']),
    });
    const app = await world.get(
      '/debug_token',
      { input_token: world.strangerToken, access_token: '77|hush' },
      { token: null },
    );
    expect(app.body.data.user_id).toBe(world.stranger);
    const bad = await world.get('/debug_token', { input_token: 'x' });
    expect([bad.status, bad.body.data.is_valid, bad.body.data.error.code]).toEqual([200, false, 190]);
    expect(error(await world.get('/debug_token', { input_token: world.strangerToken }))).toMatchObject({ code: 100 });
  });

  test('oauth/access_token returns the app token, and an exchanged token that is revoked with its source', async () => {
    const ask = (query: Record<string, string>) => world.get('/oauth/access_token', query, { token: null });
    const app = await ask({ grant_type: 'client_credentials', client_id: '77', client_secret: 'hush' });
    expect(app.body).toEqual({ access_token: '77|hush', token_type: 'bearer' });
    expect(error(await ask({ grant_type: 'client_credentials', client_id: '77', client_secret: 'no' })).code).toBe(101);
    const source = await world.tokenOf(world.user);
    const exchange = {
      grant_type: 'fb_exchange_token',
      client_id: '77',
      client_secret: 'hush',
      fb_exchange_token: source,
    };
    const long = await ask(exchange);
    expect(long.body).toMatchObject({ token_type: 'bearer', expires_in: 60 * 86_400 });
    expect((await world.get('/me', {}, { token: long.body.access_token })).status).toBe(200);
    await revokeToken(world, source);
    expect((await world.get('/me', {}, { token: long.body.access_token })).status).toBe(401);
  });

  test('permissions are read, removed one by one, or removed with the token', async () => {
    const token = await world.tokenOf(world.user);
    const granted = async () =>
      (await world.get('/me/permissions', {}, { token })).body.data
        .filter((each: { status: string }) => each.status === 'granted')
        .map((each: { permission: string }) => each.permission);
    expect(await granted()).toContain('publish_video');
    expect((await world.delete('/me/permissions/publish_video', { token })).body).toEqual({ success: true });
    expect(await granted()).not.toContain('publish_video');
    await world.delete('/me/permissions', { token });
    expect((await world.get('/me', {}, { token })).status).toBe(401);
  });

  test('a Page is found by its username', async () => {
    await world.owner({ kind: 'page', name: 'Named', username: 'The.Page' });
    expect((await world.get('/the.page')).body.name).toBe('Named');
  });
});

describe('CORS', () => {
  test('any origin is allowed without credentials, in the preflight too', async () => {
    const preflight = await world.ask('OPTIONS', '/me', { token: null });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

test('strict enforcement refuses LIVE_NOW with open errors by LIVE_VIDEO__LIVE_STREAM_ERROR', async () => {
  const { raised } = await import('../support/store-world.js');
  const strict = await ApiWorld.open({ enforce: 'strict' });
  try {
    const id = await strict.live({ status: 'UNPUBLISHED' });
    await strict.store.records.append([raised(id, 1, 1)]);
    const reply = await strict.post(`/${id}`, { status: 'LIVE_NOW' });
    expect(reply.status).toBe(400);
    expect(error(reply)).toMatchObject({ code: 100, error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR' });
  } finally {
    await strict.close();
  }
});

test('a list reads further pages while all rows of a page are filtered out', async () => {
  const user = await world.owner({ kind: 'user', name: 'Filled', profileAgeDays: 90, followers: 150 });
  const token = await world.tokenOf(user);
  const page = await world.owner({ kind: 'page', name: 'Older Page', managerId: user });
  for (const name of ['A', 'B']) await world.owner({ kind: 'group', name, managerId: user });
  const live: string[] = [];
  for (const privacy of ['EVERYONE', 'SELF', 'SELF', 'SELF']) {
    const { id } = (await world.post(`/${user}/live_videos`, { privacy, fields: 'video' }, { token })).body;
    await world.goLive(id);
    live.push((await world.get(`/${id}`, { fields: 'video' }, { token })).body.video.id);
    world.clock.advance(5);
  }
  const first = async (path: string, asked: string) =>
    (await world.get(path, { limit: '1', fields: 'id' }, { token: asked })).body.data;
  expect(await first('/me/accounts', token)).toEqual([{ id: page }]);
  expect(await first(`/${user}/videos`, world.strangerToken)).toEqual([{ id: live[0] }]);
});
