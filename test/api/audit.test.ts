/** The audit log: lines of tokens, deletions and ends, by whom and from where, for a year, without secrets. */
import { jest } from '@jest/globals';
import { auditLog, removeOldLines } from '../../src/api/access/audit.js';
import { issueToken, revokeToken } from '../../src/api/access/token-issue.js';
import { StoreUnavailableError, SYSTEM_EDGES, type Write } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { GRAPH } from '../../src/spec/graph.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open({ appId: '77', appSecret: 'hush' });
});
afterAll(() => harness.close());

const lines = async (query = {}) => (await auditLog(harness, query)).map(({ at_ms: _, ...line }) => line);

test('has a line for each token issued, exchanged and revoked, with its maker', async () => {
  const first = await issueToken(harness, { ownerId: harness.user, label: 'CI' });
  const query = {
    grant_type: 'fb_exchange_token',
    fb_exchange_token: first.token,
    client_id: '77',
    client_secret: 'hush',
  };
  const exchanged = (await harness.get('/oauth/access_token', query, { token: null })).body.access_token;
  await revokeToken(harness, first.id);
  const all = await lines({ owner: harness.user });
  expect(all).toEqual(
    expect.arrayContaining([
      { action: 'token issued: CI', who: 'server', target: first.id, owner: harness.user },
      {
        action: 'token issued: exchanged',
        who: first.id,
        from: expect.stringContaining('127.0.0.1'),
        target: expect.any(String),
        owner: harness.user,
      },
      { action: 'token revoked', who: 'server', target: first.id, owner: harness.user },
    ]),
  );
  expect(all.every(({ owner, target }) => owner === harness.user || target === harness.user)).toBe(true);
  const text = JSON.stringify(await lines());
  for (const secret of [first.token, exchanged, harness.token, 'hush']) expect(text).not.toContain(secret);
});

test('has a line for a deletion and an end over HTTP, also in a batch, with token and address', async () => {
  const { id: who, token } = await issueToken(harness, { ownerId: harness.user });
  const [deleted, ended, inBatch] = [await harness.live(), await harness.live(), await harness.live()];
  await harness.goLive(ended);
  expect((await harness.delete(`/${deleted}`, { token })).status).toBe(200);
  expect((await harness.post(`/${ended}`, { end_live_video: 'true' }, { token })).status).toBe(200);
  const batch = JSON.stringify([{ method: 'DELETE', relative_url: inBatch }]);
  expect((await harness.post('/', { batch }, { token })).body[0].code).toBe(200);
  const line = { who, from: expect.stringContaining('127.0.0.1'), owner: harness.page };
  expect((await lines({ owner: harness.page })).slice(0, 3)).toEqual([
    { ...line, action: 'delete live_video', target: inBatch },
    { ...line, action: 'end live_video', target: ended },
    { ...line, action: 'delete live_video', target: deleted },
  ]);
});

test('is listed by the command line, whose changes have lines too', async () => {
  const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
  const actions = adminActions({ ...harness, publicHttpUrl: 'http://localhost', quota });
  const page = (await actions['owner.add']?.({ kind: 'page', name: 'Audited' })) as { id: string };
  await actions['owner.set']?.({ id: page.id, max_objects: 5 });
  expect(await actions['audit.list']?.({ owner: page.id })).toEqual({
    lines: [
      { at_ms: expect.any(Number), action: 'owner.set', who: 'command line', target: page.id },
      { at_ms: expect.any(Number), action: 'owner.add', who: 'command line', target: page.id },
    ],
  });
  const owner = (await actions['owner.add']?.({ kind: 'user', name: 'Tess' })) as { id: string };
  const issue = { owner: owner.id, scopes: ['publish_video'], label: 'CI' };
  const token = (await actions['token.issue']?.(issue)) as { id: string; token: string };
  await actions['token.revoke']?.({ token: token.token });
  const line = { who: 'command line', target: token.id, owner: owner.id };
  expect(await lines({ owner: owner.id })).toEqual([
    { ...line, action: 'token revoked' },
    { ...line, action: 'token issued: CI' },
    { action: 'owner.add', who: 'command line', target: owner.id },
  ]);
});

test('a stop for copyright names another Page than the owner, and leaves a line', async () => {
  const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
  const actions = adminActions({ ...harness, publicHttpUrl: 'http://localhost', quota });
  const id = await harness.live();
  await harness.goLive(id);
  await expect(actions['live.stop']?.({ id, page: harness.page })).rejects.toThrow('not the owner of the live video');
  expect((await harness.get(`/${id}`)).body.status).toBe('LIVE');
  const other = await harness.owner({ kind: 'page', name: 'Label', managerId: harness.stranger });
  expect(await actions['live.stop']?.({ id, page: other })).toMatchObject({ status: 'LIVE_STOPPED' });
  const stops = (await lines()).filter(({ target }) => target === id).map(({ action }) => action);
  expect(stops).toEqual(['live.stop']);
});

test('has a line for changes of rights: privacy, stream keys, cross-posting', async () => {
  const { id: who, token } = await issueToken(harness, { ownerId: harness.user });
  const mine = await harness.live({ privacy: 'SELF' }, harness.user);
  const own = await harness.live();
  const other = await harness.owner({ kind: 'page', name: 'Other', managerId: harness.user });
  await harness.post(`/${mine}`, { privacy: 'EVERYONE' }, { token });
  await harness.post(`/${mine}`, { title: 'No change of rights' }, { token });
  await harness.post(`/${own}`, { persistent_stream_key_status: 'ENABLE' }, { token });
  await harness.post(
    `/${harness.page}`,
    {
      begin_crossposting_handshake: JSON.stringify([{ partner_page_id: other }]),
    },
    { token },
  );
  const made = { who, from: expect.stringContaining('127.0.0.1') };
  expect(await lines()).toEqual(
    expect.arrayContaining([
      { ...made, action: 'privacy of live_video', target: mine, owner: harness.user },
      { ...made, action: 'stream key of live_video', target: own, owner: harness.page },
      { ...made, action: 'pair page', target: harness.page },
    ]),
  );
  expect((await lines()).filter(({ target }) => target === mine)).toHaveLength(1);
});

const isLine = (write: Write) => write.op === 'edgeAdd' && write.edge === SYSTEM_EDGES.audit.edge;

interface Change {
  /** The route, with what it does where it does several things. */
  readonly route: string;
  readonly action: string;
  readonly ask: () => Promise<{ readonly status: number }>;
}

/** Prepared changes of every kind that leaves a line. */
async function changes(): Promise<readonly Change[]> {
  const [video, live, ended, edited, keyed] = [
    await harness.video(),
    await harness.live(),
    await harness.live(),
    await harness.live({ privacy: 'SELF' }, harness.user),
    await harness.live(),
  ];
  const source = await harness.video();
  const comment = (await harness.post(`/${source}/comments`, { message: 'Hi' })).body.id;
  const poll = (await harness.post(`/${source}/polls`, { question: 'Q', options: 'a,b' })).body.id;
  const captions = new FormData();
  captions.set('captions_file', new Blob(['1\n00:00:01,000 --> 00:00:02,000\nHi\n']), 'c.en_US.srt');
  expect((await harness.ask('POST', `/${source}/captions`, { body: captions })).status).toBe(200);
  await harness.goLive(ended);
  await harness.post(`/${harness.page}/copyright_references`, { video_id: source });
  const partner = await harness.owner({ kind: 'page', name: 'Partner', managerId: harness.user });
  const { token } = await issueToken(harness, { ownerId: harness.user });
  const target = { url: 'rtmps://live.example.com/app', stream_key: 'a-key' };
  const forward = (await harness.post(`/${keyed}/forwards`, target)).body.id;
  const remove = (path: string, action: string, route: string): Change => ({
    route: `DELETE ${route}`,
    action: `delete ${action}`,
    ask: () => harness.delete(path, { token }),
  });
  const post = (path: string, form: Record<string, string>, action: string): Change => ({
    route: `POST ${Object.keys(form)[0]}`,
    action,
    ask: () => harness.post(path, form, { token }),
  });
  return [
    remove(`/${source}/captions`, 'video captions', '/{video-id}/captions'),
    remove(`/${source}/likes`, 'video likes', '/{video-id}/likes'),
    remove(`/${comment}/likes`, 'comment likes', '/{comment-id}/likes'),
    remove(`/${comment}`, 'comment', '/{comment-id}'),
    remove(
      `/${harness.page}/copyright_references?video_id=${source}`,
      'page copyright_references',
      '/{page-id}/copyright_references',
    ),
    remove(
      `/${harness.page}/assigned_users?user=${harness.stranger}`,
      'page assigned_users',
      '/{page-id}/assigned_users',
    ),
    remove(`/${harness.group}/members?member=${harness.stranger}`, 'group members', '/{group-id}/members'),
    remove(`/${harness.user}/friends?uid=${harness.stranger}`, 'user friends', '/{user-id}/friends'),
    remove(`/${forward}`, 'forward', '/{forward-id}'),
    remove(`/${video}`, 'video', '/{video-id}'),
    remove(`/${live}`, 'live_video', '/{live-video-id}'),
    post(`/${harness.group}`, { privacy: 'CLOSED' }, 'privacy of group'),
    post(`/${harness.group}/members`, { member: harness.stranger }, 'add group members'),
    post(`/${harness.page}/assigned_users`, { user: harness.stranger }, 'add page assigned_users'),
    post(`/${harness.user}/friends`, { uid: harness.stranger }, 'add user friends'),
    post(`/${poll}`, { action: 'DELETE_POLL' }, 'delete poll'),
    post(`/${ended}`, { end_live_video: 'true' }, 'end live_video'),
    post(`/${edited}`, { privacy: 'EVERYONE' }, 'privacy of live_video'),
    post(`/${keyed}`, { persistent_stream_key_status: 'ENABLE' }, 'stream key of live_video'),
    post(
      `/${source}`,
      { allow_crossposting_for_pages: JSON.stringify([{ page_id: partner }]) },
      'cross-posting of video',
    ),
    post(
      `/${harness.page}`,
      { begin_crossposting_handshake: JSON.stringify([{ partner_page_id: partner }]) },
      'pair page',
    ),
    // The last one: it revokes the token.
    remove(`/${harness.user}/permissions`, 'user permissions', '/{user-id}/permissions'),
  ];
}

test('stores each change and its line in one transaction: none is done without its line', async () => {
  const all = await changes();
  const deletions = GRAPH.flatMap(({ key }) => (key.startsWith('DELETE') ? [key] : []));
  expect(all.map(({ route }) => route)).toEqual(expect.arrayContaining(deletions));
  const { objects } = harness.store;
  const commit = objects.commit.bind(objects);
  const spy = jest.spyOn(objects, 'commit');
  try {
    for (const { ask, action } of all) {
      const before = (await lines()).length;
      spy.mockImplementation(async (writes) => {
        if (writes.some(isLine)) throw new StoreUnavailableError('the store is away');
        return commit(writes);
      });
      expect({ action, isRefused: (await ask()).status >= 500 }).toEqual({ action, isRefused: true });
      expect((await lines()).length).toBe(before);
      const committed: (readonly Write[])[] = [];
      spy.mockImplementation(async (writes) => {
        committed.push(writes);
        return commit(writes);
      });
      expect({ action, status: (await ask()).status }).toEqual({ action, status: 200 });
      const withLine = committed.filter((writes) => writes.some(isLine));
      expect({ action, alone: withLine.filter((writes) => writes.every(isLine)) }).toEqual({ action, alone: [] });
      expect((await lines())[0]?.action).toBe(action);
    }
  } finally {
    spy.mockRestore();
  }
});

test('keeps lines for a year', async () => {
  const nowMs = harness.clock.wallMs();
  await harness.delete(`/${await harness.live()}`);
  expect((await lines({ sinceMs: nowMs })).map(({ action }) => action)).toContain('delete live_video');
  const kept = () => harness.store.objects.edgeSize(SYSTEM_EDGES.audit);
  harness.clock.advance(364 * 86_400_000);
  await removeOldLines(harness);
  expect(await kept()).toBeGreaterThan(0);
  harness.clock.advance(2 * 86_400_000);
  expect(await lines()).toEqual([]);
  await removeOldLines(harness);
  expect(await kept()).toBe(0);
});
