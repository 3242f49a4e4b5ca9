/** The audit log: lines of tokens, deletions and ends, by whom and from where, for a year, without secrets. */
import { auditLog } from '../../src/api/access/audit.js';
import { issueToken, revokeToken } from '../../src/api/access/token-issue.js';
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
});

test('keeps lines for a year', async () => {
  const nowMs = harness.clock.wallMs();
  await harness.delete(`/${await harness.live()}`);
  expect((await lines({ sinceMs: nowMs })).map(({ action }) => action)).toContain('delete live_video');
  harness.clock.advance(364 * 86_400_000);
  expect((await lines()).length).toBeGreaterThan(0);
  harness.clock.advance(2 * 86_400_000);
  expect(await lines()).toEqual([]);
});
