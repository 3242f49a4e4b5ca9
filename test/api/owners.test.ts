/** Owners change after their creation, by the command line and over HTTP; what they may do follows at once. */
import { auditLog } from '../../src/api/access/audit.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const set = (input: Record<string, unknown>) => {
  const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
  return adminActions({ ...harness, publicHttpUrl: 'http://localhost', quota })['owner.set']?.(input);
};
const person = async (name: string, more = { profileAgeDays: 90, followers: 150 }) => {
  const id = await harness.owner({ kind: 'user', name, ...more });
  return { id, token: await harness.tokenOf(id) };
};
const status = async (id: string, token: string) => (await harness.get(`/${id}`, {}, { token })).status;
const audited = async (id: string) => (await auditLog(harness, { owner: id })).map(({ action }) => action);

test('a profile goes live once it has 100 followers and 60 days, by either way', async () => {
  const { id, token } = await person('New', { profileAgeDays: 10, followers: 99 });
  const goLive = async () => (await harness.post('/me/live_videos', { privacy: 'EVERYONE' }, { token })).body.error;
  expect(await goLive()).toMatchObject({ error_subcode: 1363120 });
  expect(await set({ id, created_ms: harness.clock.wallMs() - 61 * 86_400_000 })).toMatchObject({
    profile_age_days: 61,
  });
  expect(await goLive()).toMatchObject({ error_subcode: 1363144 });
  await set({ id, followers: 100 });
  expect(await goLive()).toBeUndefined();

  const operator = await harness.tokenOf(harness.user, { scopes: ['operator'] });
  const own = await harness.post(`/${id}`, { followers_count: '1000' }, { token });
  expect(own.body.error).toMatchObject({ code: 200, message: '(#200) Requires a token with the scope operator.' });
  const made = new Date(harness.clock.wallMs() - 5 * 86_400_000).toISOString().slice(0, 10);
  const changed = await harness.post(`/${id}`, { followers_count: '99', created_time: made }, { token: operator });
  expect(changed.body).toEqual({ success: true });
  expect(await goLive()).toMatchObject({ error_subcode: 1363120 });
  const fields = { fields: 'followers_count,created_time' };
  const seen = { followers_count: 99, created_time: `${made}T00:00:00+0000`, id };
  expect((await harness.get(`/${id}`, fields, { token })).body).toEqual(seen);
  expect((await harness.get(`/${id}`, fields)).body).toEqual({ id });
  const future = { created_time: String(Math.ceil(harness.clock.wallMs() / 1000) + 60) };
  expect((await harness.post(`/${id}`, future, { token: operator })).body.error).toMatchObject({ code: 100 });
  expect((await audited(id)).filter((action) => /owner.set|profile of user/.test(action))).toEqual([
    'profile of user',
    'owner.set',
    'owner.set',
  ]);
});

test('content of a group follows its privacy and its members', async () => {
  const group = await harness.owner({ kind: 'group', name: 'Readers', managerId: harness.user });
  const video = await harness.video(group);
  const { id: member, token } = await person('Mia');
  expect(await status(video, token)).toBe(200);
  await harness.post(`/${group}`, { privacy: 'CLOSED' });
  expect(await status(video, token)).toBe(400);
  expect((await harness.post(`/${group}/members`, { member })).body).toEqual({ success: true });
  expect(await status(video, token)).toBe(200);
  expect((await harness.get(`/${group}/members`)).body.data).toEqual([
    { id: member, name: 'Mia', administrator: false, tasks: [] },
    expect.objectContaining({ id: harness.user, administrator: true }),
  ]);
  const mine = await harness.post(`/${group}/videos`, { crossposted_video_id: video }, { token });
  expect(mine.body.error).toMatchObject({ code: 200 });
  await harness.delete(`/${group}/members?member=${member}`);
  expect(await status(video, token)).toBe(400);
  await set({ id: group, add_member: [member] });
  expect(await status(video, token)).toBe(200);
  await set({ id: group, remove_member: [member], privacy: 'SECRET' });
  expect(await status(group, token)).toBe(400);
  // Adding a manager as a member does not change the role.
  await set({ id: group, add_member: [harness.user] });
  expect(await status(video, harness.token)).toBe(200);
  expect((await harness.get(`/${group}/members`)).body.data).toMatchObject([{ administrator: true }]);
  expect((await harness.post(`/${group}`, { privacy: 'OPEN' }, { token })).status).toBe(400);
});

test('a role on a Page is given and taken, and me/accounts follows', async () => {
  const page = await harness.owner({ kind: 'page', name: 'Pia Page', managerId: harness.user });
  const { id: user, token } = await person('Max');
  const accounts = async () => (await harness.get('/me/accounts', { fields: 'id,tasks' }, { token })).body.data;
  expect(await accounts()).toEqual([]);
  await set({ id: page, add_manager: [user] });
  expect(await accounts()).toMatchObject([{ id: page, tasks: expect.arrayContaining(['MANAGE']) }]);
  const pageToken = (await harness.get(`/${page}`, { fields: 'access_token' }, { token })).body.access_token;
  const create = async () =>
    (await harness.post(`/${page}/live_videos`, { status: 'UNPUBLISHED' }, { token: pageToken })).status;
  expect(await create()).toBe(200);
  await harness.post(`/${page}/assigned_users`, { user, tasks: 'ANALYZE,MODERATE' });
  expect(await accounts()).toEqual([{ id: page, tasks: ['ANALYZE', 'MODERATE'] }]);
  expect(await create()).toBe(403);
  expect((await harness.get(`/${page}/assigned_users`, { fields: 'id,tasks' })).body.data).toContainEqual({
    id: user,
    tasks: ['ANALYZE', 'MODERATE'],
  });
  expect((await harness.post(`/${page}/assigned_users`, { user }, { token })).status).toBe(403);
  await harness.delete(`/${page}/assigned_users?user=${user}`);
  expect(await accounts()).toEqual([]);
  for (const wrong of [{ user: page }, { user: '12345' }, { user, tasks: 'RULE' }]) {
    const refused = await harness.post(`/${page}/assigned_users`, wrong);
    expect(refused.body.error).toMatchObject({ code: 100 });
  }
});

test('ALL_FRIENDS reaches friends: those who both agreed, or whom the operator made so', async () => {
  const [ada, ben, cyd] = [await person('Ada'), await person('Ben'), await person('Cyd')];
  const live = (await harness.post('/me/live_videos', { privacy: 'ALL_FRIENDS' }, { token: ada.token })).body.id;
  await harness.goLive(live);
  const sees = () => Promise.all([ben, cyd].map(async ({ token }) => (await status(live, token)) === 200));
  expect(await sees()).toEqual([false, false]);
  const ask = (uid: string, token: string) => harness.post('/me/friends', { uid }, { token });
  expect((await ask(ada.id, ben.token)).body).toEqual({ success: true, is_friend: false });
  expect((await ask(ada.id, ben.token)).body).toEqual({ success: true, is_friend: false });
  expect(await sees()).toEqual([false, false]);
  expect((await ask(ben.id, ada.token)).body).toEqual({ success: true, is_friend: true });
  expect(await sees()).toEqual([true, false]);
  await set({ id: cyd.id, add_friend: [ada.id] });
  expect(await sees()).toEqual([true, true]);
  const friends = (await harness.get('/me/friends', { fields: 'name' }, { token: ada.token })).body.data;
  expect(friends.map(({ name }: { name: string }) => name).sort()).toEqual(['Ben', 'Cyd']);
  expect((await harness.get(`/${ada.id}/friends`)).status).toBe(403);
  await harness.delete(`/me/friends?uid=${ben.id}`, { token: ada.token });
  expect(await sees()).toEqual([false, true]);
  await set({ id: ada.id, remove_friend: [cyd.id] });
  expect(await sees()).toEqual([false, false]);
  expect((await ask(ada.id, ada.token)).body.error).toMatchObject({ code: 100 });
});

test.each([
  ['page', { add_member: ['USER'] }, 'Groups have members, others do not'],
  ['page', { privacy: 'CLOSED' }, 'Param privacy is for groups'],
  ['page', { created_ms: 0 }, 'Param created is for users'],
  ['page', { add_friend: ['USER'] }, 'Users have friends, others do not'],
  ['group', { followers: 5 }, 'Users and Pages have followers, groups do not'],
  ['user', { add_manager: ['USER'] }, 'Pages and groups have managers and members, users do not'],
  ['group', { add_manager: ['12345'] }, 'No user has the id 12345'],
] as const)('owner set of a %s refuses %j, and changes nothing', async (kind, input, message) => {
  const id = harness[kind];
  const before = await harness.store.objects.get(id);
  const given = JSON.parse(JSON.stringify(input).replace('USER', harness.stranger));
  await expect(set({ id, followers: kind === 'group' ? undefined : 7, ...given })).rejects.toThrow(message);
  expect(await harness.store.objects.get(id)).toEqual(before);
});
