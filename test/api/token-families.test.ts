/** A token made from another one ends with it, whatever lies between them, and never outlives or exceeds it. */
import { FeedAccess } from '../../src/api/access/feed-access.js';
import { FileAccess } from '../../src/api/access/file-access.js';
import { OpenUses } from '../../src/api/access/open-uses.js';
import { issueToken, revokeToken } from '../../src/api/access/token-issue.js';
import { listTokens } from '../../src/api/admin/tokens.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import type { StoredObject } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { dockToken, issueQuickstartToken, tokenWorks } from '../../src/server/quickstart/run.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { ApiHarness } from '../support/api-harness.js';

const DAY_MS = 86_400_000;
const APP = { client_id: '77', client_secret: 'hush' };

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

async function exchanged(token: string): Promise<string> {
  const query = { grant_type: 'fb_exchange_token', fb_exchange_token: token, ...APP };
  return (await harness.get('/oauth/access_token', query, { token: null })).body.access_token;
}

async function pageTokenOf(token: string): Promise<string> {
  return (await harness.get(`/${harness.page}`, { fields: 'access_token' }, { token })).body.access_token;
}

const statusOf = async (token: string) => (await harness.get('/me', {}, { token })).status;

test('revoking a token ends every token made from it, at any depth, and no other', async () => {
  const [first, other] = [await harness.tokenOf(harness.user), await harness.tokenOf(harness.user)];
  const second = await exchanged(first);
  const third = await exchanged(second);
  const family = [first, second, third, await pageTokenOf(third), await exchanged(await pageTokenOf(third))];
  for (const token of family) expect(await statusOf(token)).toBe(200);
  await revokeToken(harness, first);
  for (const token of family) expect(await statusOf(token)).toBe(401);
  expect(await statusOf(other)).toBe(200);
});

test('revoking a token in the middle leaves those above it valid', async () => {
  const first = await harness.tokenOf(harness.user);
  const second = await exchanged(first);
  const third = await exchanged(second);
  await revokeToken(harness, second);
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 401, 401]);
});

test('a dock link ends with the token that made it', async () => {
  const access = new FeedAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
  try {
    const maker = await issueToken(harness, { ownerId: harness.user });
    const live = (await harness.store.objects.get(await harness.live())) as StoredObject<LiveVideoData>;
    const link = await access.issueLink(live, { makerId: maker.id });
    expect(await access.authenticate(link.token)).toBeDefined();
    await revokeToken(harness, maker.id);
    // The revocation reaches the cache by the bus.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await access.authenticate(link.token)).toBeUndefined();
  } finally {
    access.close();
  }
});

test('a link to a report opens it alone, is listed, and ends by itself, with its maker or with what its maker may', async () => {
  const config = { publicHttpUrl: 'http://localhost' };
  const access = new FeedAccess({ ...harness, config });
  try {
    const expiresMs = harness.clock.wallMs() + DAY_MS;
    const maker = await issueToken(harness, { ownerId: harness.user, expiresMs });
    const other = await issueToken(harness, { ownerId: harness.user });
    const [live, elsewhere] = (await harness.store.objects.getMany([await harness.live(), await harness.live()])) as [
      StoredObject<LiveVideoData>,
      StoredObject<LiveVideoData>,
    ];
    const share = (makerId: string) => access.issueReportLink(live, { makerId });
    const [first, second, third] = [await share(maker.id), await share(maker.id), await share(other.id)];
    const opens = () => Promise.all([first, second, third].map(({ token }) => access.opensReport(token, live.id)));
    const settled = () => new Promise((resolve) => setImmediate(resolve));

    expect(await opens()).toEqual([true, true, true]);
    expect(await access.opensReport(first.token, elsewhere.id)).toBe(false);
    expect(await access.opensReport(maker.token, live.id)).toBe(false);
    expect(await (await access.authenticate(first.token))?.mayRead(live)).toBe(false);
    expect(await statusOf(first.token)).toBe(401);
    expect((await harness.get(`/${live.id}/report`, {}, { token: first.token })).status).toBe(401);
    expect(first.expiresMs).toBe(expiresMs);
    const rows = () => access.reportLinks(live.id);
    expect(await rows()).toMatchObject([
      { id: first.id, made_by: maker.id, expires_ms: expiresMs },
      { id: second.id },
      { id: third.id, made_by: other.id },
    ]);

    expect(await access.endReportLink(elsewhere.id, first.id, maker.id, '::1')).toBe(false);
    expect(await access.endReportLink(live.id, first.id, maker.id, '::1')).toBe(true);
    await settled();
    expect(await opens()).toEqual([false, true, true]);
    await revokeToken(harness, maker.id);
    await settled();
    expect(await opens()).toEqual([false, false, true]);
    expect((await rows()).map(({ id }) => id)).toEqual([third.id]);
    const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
    const list = adminActions({ ...harness, ...config, quota })['live.report_links'];
    expect(await list?.({ id: live.id })).toEqual({ links: await rows() });
    await harness.delete('/me/permissions/pages_read_engagement', { token: other.token });
    await settled();
    expect(await opens()).toEqual([false, false, false]);
  } finally {
    access.close();
  }
});

test('a permission removed from a token is gone from those made from it', async () => {
  const first = await harness.tokenOf(harness.user);
  const second = await exchanged(first);
  const publish = async () => (await harness.post('/me/live_videos', {}, { token: second })).status;
  expect(await publish()).toBe(200);
  await harness.delete('/me/permissions/publish_video', { token: first });
  expect(await publish()).toBe(403);
});

describe('a token made from another one reads no more than that one', () => {
  const reads = () => [
    `/${harness.page}/errors`,
    `/${harness.page}/live_videos`,
    ...['errors', 'report', 'comments', 'input_streams'].map((edge) => `/${live}/${edge}`),
  ];
  let live = '';
  beforeAll(async () => {
    live = await harness.live();
    await harness.goLive(live);
  });
  const statuses = (token: string) =>
    Promise.all(reads().map(async (path) => [path, (await harness.get(path, {}, { token })).status]));
  const all = (status: number) => reads().map((path) => [path, status]);

  test('a Page token, whose maker lacks the scopes of the Page', async () => {
    const narrow = await harness.tokenOf(harness.user, { scopes: ['user_videos'] });
    const page = await pageTokenOf(narrow);
    expect(await statuses(narrow)).toEqual(all(403));
    expect(await statuses(page)).toEqual(all(403));
    expect(await statuses(await exchanged(page))).toEqual(all(403));
    expect((await harness.get(`/${live}`, { fields: 'errors' }, { token: page })).status).toBe(403);
  });

  test('a Page token, whose maker has them, reads what they open', async () => {
    const scopes = ['pages_read_engagement', 'pages_read_user_content'];
    const page = await pageTokenOf(await harness.tokenOf(harness.user, { scopes }));
    expect(await statuses(page)).toEqual(all(200));
    expect(await statuses(await exchanged(page))).toEqual(all(200));
    const own = await harness.tokenOf(harness.page, { scopes: [] });
    expect(await statuses(own)).toEqual(all(200));
  });

  test('a Page token that an operator made', async () => {
    const page = await pageTokenOf(await harness.tokenOf(harness.stranger, { scopes: ['operator'] }));
    expect(await statuses(page)).toEqual(all(200));
  });

  test('a Page token has only the tasks of the member that made it', async () => {
    const member = await harness.owner({ kind: 'user', name: 'Mia Member' });
    const role = {
      owner: harness.page,
      edge: 'roles',
      member,
      score: 1,
      value: { tasks: ['CREATE_CONTENT'] },
    } as const;
    await harness.store.objects.commit([{ op: 'edgeAdd', ...role }]);
    const page = await pageTokenOf(await harness.tokenOf(member));
    expect((await harness.post(`/${live}`, { title: 'Renamed' }, { token: page })).status).toBe(200);
    expect((await harness.get(`/${harness.page}/live_videos`, {}, { token: page })).status).toBe(200);
    expect((await harness.post(`/${harness.page}`, { about: 'Taken over' }, { token: page })).status).toBe(403);
  });

  test('the feed and a dock link', async () => {
    const access = new FeedAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
    try {
      const stored = (await harness.store.objects.get(live)) as StoredObject<LiveVideoData>;
      const narrow = await access.authenticate(
        await pageTokenOf(await harness.tokenOf(harness.user, { scopes: ['user_videos'] })),
      );
      expect(await narrow?.mayRead(stored)).toBe(false);
      const maker = await issueToken(harness, { ownerId: harness.user });
      const link = await access.issueLink(stored, { makerId: maker.id, withEncoderSetup: true });
      const profile = async () =>
        (await harness.get(`/${live}/obs_profile`, { type: 'json' }, { token: link.token })).status;
      const feed = async () => (await access.authenticate(link.token))?.mayRead(stored);
      expect([await feed(), await profile()]).toEqual([true, 200]);
      await harness.delete('/me/permissions/pages_manage_posts', { token: maker.token });
      expect([await feed(), await profile()]).toEqual([true, 403]);
      await harness.delete('/me/permissions/pages_read_engagement', { token: maker.token });
      await new Promise((resolve) => setImmediate(resolve));
      expect(await feed()).toBe(false);
    } finally {
      access.close();
    }
  });
});

test('a token made from another one expires with it', async () => {
  const first = await harness.tokenOf(harness.user, { expiresMs: harness.clock.wallMs() + DAY_MS });
  const family = [await exchanged(first), await pageTokenOf(first)];
  for (const token of family) expect(await statusOf(token)).toBe(200);
  harness.clock.advance(DAY_MS + 1000);
  for (const token of family) {
    const { body } = await harness.get('/me', {}, { token });
    expect(body.error).toMatchObject({ code: 190, error_subcode: 463 });
  }
});

test('a revoked token makes no other, and a chain of exchanges ends', async () => {
  const revoked = await issueToken(harness, { ownerId: harness.user });
  await revokeToken(harness, revoked.id);
  await expect(issueToken(harness, { ownerId: harness.user, parentId: revoked.id })).rejects.toThrow('No such token');
  let last = await issueToken(harness, { ownerId: harness.user });
  for (let depth = 1; depth <= 16; depth++) {
    last = await issueToken(harness, { ownerId: harness.user, parentId: last.id });
  }
  expect(await statusOf(last.token)).toBe(200);
  await expect(issueToken(harness, { ownerId: harness.user, parentId: last.id })).rejects.toThrow(
    'exchanged too often',
  );
});

test('token list shows the lineage, the state by family and the last use', async () => {
  const own = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
  try {
    const first = await issueToken(own, { ownerId: own.user });
    const second = await issueToken(own, { ownerId: own.user, parentId: first.id });
    const third = await issueToken(own, { ownerId: own.user, parentId: second.id });
    const usedMs = own.clock.wallMs();
    await own.get('/me', {}, { token: third.token });
    await own.api.close();
    await revokeToken(own, first.id);
    const rows = new Map((await listTokens(own)).tokens.map((row) => [row.id, row]));
    expect(rows.get(third.id)).toMatchObject({ parent_id: second.id, root_id: first.id, state: 'revoked' });
    expect(rows.get(third.id)?.last_used_ms).toBeGreaterThanOrEqual(usedMs);
    expect(rows.get(first.id)).not.toHaveProperty('parent_id');
    expect(rows.get(second.id)).not.toHaveProperty('last_used_ms');
  } finally {
    await own.close();
  }
});

test('revoking a token ends the server-sent events that a token made from it has open', async () => {
  const first = await harness.tokenOf(harness.user);
  const second = await exchanged(first);
  const live = await harness.live();
  const events = await fetch(`${harness.url}/${live}/live_comments`, {
    headers: { authorization: `Bearer ${second}` },
  });
  expect(events.headers.get('content-type')).toContain('text/event-stream');
  const text = events.text();
  await revokeToken(harness, first);
  // Resolves when the server ends the response.
  expect(await text).toContain(': ping');
});

describe('what a token has opened', () => {
  test('is ended once, when a check finds the token invalid, also without a message', async () => {
    const valid = new Map([
      ['1', true],
      ['2', true],
    ]);
    const uses = new OpenUses(async (id) => valid.get(id) ?? false);
    const ended: string[] = [];
    const [first, second] = ['1', '2'].map((id) => uses.watch(id, () => ended.push(id)));
    uses.watch('1', () => ended.push('1 again'));
    uses.recheck();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual([]);
    valid.set('1', false);
    second?.();
    valid.set('2', false);
    uses.recheck();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(['1', '1 again']);
    uses.recheck();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toHaveLength(2);
    first?.();
    uses.close();
  });

  test('stays open while the store cannot be read', async () => {
    const uses = new OpenUses(() => Promise.reject(new Error('no store')));
    let ended = false;
    uses.watch('1', () => {
      ended = true;
    });
    uses.recheck();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    uses.close();
  });
});

test('a link to a file carries the token that asked for it', async () => {
  const access = new FileAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
  try {
    const { id, token } = await issueToken(harness, { ownerId: harness.user });
    const video = await harness.video();
    expect(await access.maySee(token, video)).toBe(id);
    expect(await access.isValid(id)).toBe(true);
    await revokeToken(harness, id);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await access.isValid(id)).toBe(false);
    expect(await access.maySee(token, video)).toBeUndefined();
  } finally {
    access.close();
  }
});

test('a link to a file opens nothing that its token may not read any more', async () => {
  const access = new FileAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
  try {
    const maker = await issueToken(harness, { ownerId: harness.user });
    const video = await harness.video();
    expect(await access.isOpenToLink(video, maker.id)).toBe(true);
    await harness.delete('/me/permissions/pages_read_engagement', { token: maker.token });
    expect(await access.isOpenToLink(video, maker.id)).toBe(false);
    expect(await access.isOpenToLink(video, undefined)).toBe(true);
  } finally {
    access.close();
  }
});

test('the token of the quickstart expires, and is used again only while it is valid for long enough', async () => {
  const access = new FeedAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
  try {
    const { store, clock } = harness;
    const works = (token: string, owner = harness.user) => tokenWorks({ store, clock, tokens: access }, token, owner);
    const token = await issueQuickstartToken(harness, harness.user);
    const parent = await issueToken(harness, { ownerId: harness.user });
    const child = await issueToken(harness, { ownerId: harness.user, parentId: parent.id });
    expect([await works(token), await works(child.token)]).toEqual([true, true]);
    expect([await works(token, harness.stranger), await works('ALnone')]).toEqual([false, false]);
    await revokeToken(harness, parent.id);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await works(child.token)).toBe(false);
    clock.advance(59 * DAY_MS);
    expect(await works(token)).toBe(true);
    clock.advance(2 * DAY_MS);
    expect([await works(token), await statusOf(token)]).toEqual([false, 200]);
    clock.advance(30 * DAY_MS);
    expect(await statusOf(token)).toBe(401);
  } finally {
    access.close();
  }
});

test('the quickstart keeps its link to the dock over restarts, and starts without one where there is no room', async () => {
  const access = new FeedAccess({ ...harness, config: { publicHttpUrl: 'http://localhost' } });
  try {
    const live = (await harness.store.objects.get(await harness.live())) as StoredObject<LiveVideoData>;
    const start = (earlier?: string) => dockToken({ ...harness, access }, live, earlier);
    const first = await start();
    expect(await start(first)).toBe(first);
    harness.clock.advance((13 / 24) * DAY_MS);
    const second = await start(first);
    expect(second).not.toBe(first);
    // Two are issued; 50 have room.
    for (let link = 2; link < 50; link++) await access.issueLink(live);
    expect(await start(second)).toBe(second);
    expect(await start()).toBeUndefined();
  } finally {
    access.close();
  }
});
