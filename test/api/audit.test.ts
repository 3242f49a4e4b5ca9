/** The audit log: lines of tokens, deletions and ends, by whom and from where, for a year, without secrets. */
import { jest } from '@jest/globals';
import { auditLog, removeOldLines } from '../../src/api/access/audit.js';
import { issueToken, revokeToken } from '../../src/api/access/token-issue.js';
import { setRole } from '../../src/api/admin/owners.js';
import { SYSTEM_EDGES, type Write } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
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
      { action: 'token issued: exchanged', who: first.id, target: expect.any(String), owner: harness.user },
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

test('has a line for changes of rights: roles, privacy, stream keys, cross-posting', async () => {
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
  await setRole(harness, harness.page, harness.stranger, ['MODERATE']);
  await setRole(harness, harness.page, harness.stranger, []);
  const made = { who, from: expect.stringContaining('127.0.0.1') };
  const role = { who: 'server', target: harness.stranger, owner: harness.page };
  expect(await lines()).toEqual(
    expect.arrayContaining([
      { ...made, action: 'privacy of live_video', target: mine, owner: harness.user },
      { ...made, action: 'stream key of live_video', target: own, owner: harness.page },
      { ...made, action: 'pair page', target: harness.page },
      { ...role, action: 'role changed: MODERATE' },
      { ...role, action: 'role removed' },
    ]),
  );
  expect((await lines()).filter(({ target }) => target === mine)).toHaveLength(1);
});

test('a change that is done is answered as done, also if its line cannot be written', async () => {
  const live = await harness.live();
  const { objects } = harness.store;
  const commit = objects.commit.bind(objects);
  const isLine = (write: Write) => write.op === 'edgeAdd' && write.edge === SYSTEM_EDGES.audit.edge;
  const failing = jest.spyOn(objects, 'commit').mockImplementation(async (writes) => {
    if (writes.length > 0 && writes.every(isLine)) throw new Error('the store is away');
    return commit(writes);
  });
  try {
    expect((await harness.delete(`/${live}`)).body).toEqual({ success: true });
  } finally {
    failing.mockRestore();
  }
  expect(harness.log.lines).toContainEqual({
    level: 'error',
    message: 'a change is missing in the audit log',
    fields: expect.objectContaining({ action: 'delete live_video', target: live }),
  });
  expect((await harness.get(`/${live}`)).body.error.error_subcode).toBe('LIVE_VIDEO__NOT_EXIST');
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
