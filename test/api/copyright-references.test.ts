/** References of a Page over HTTP, and the operator's decision on a match. */
import { API_LIMITS } from '../../src/api/context/limits.js';
import { PRINT } from '../../src/copyright/limits.js';
import { keepMatches } from '../../src/detection/matches.js';
import type { VideoData } from '../../src/lifecycle/documents.js';
import { edgeOf, type StoredMatch, SYSTEM_EDGES, storedReferences, updateObject } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
let other: string;
beforeAll(async () => {
  harness = await ApiHarness.open();
  other = await harness.owner({ kind: 'page', name: 'Other', managerId: harness.user });
});
afterAll(() => harness.close());

const path = () => `/${harness.page}/copyright_references`;
const error = (reply: { body: { error?: { code?: number; message?: string } } }) => reply.body.error;

function admin() {
  const { store, clock, ids, log, broadcasts } = harness;
  const quota = new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 });
  return adminActions({ store, broadcasts, clock, ids, quota, log, publicHttpUrl: 'http://localhost' });
}

async function all() {
  const found = [];
  for await (const reference of storedReferences(harness.store.objects)) found.push(reference);
  return found;
}

test('adds a reference, lists it with its terms, replaces them, and removes it', async () => {
  const video = await harness.video();
  const form = { video_id: video, policy: 'block', excluded_ranges: '[{"from":0,"to":9000}]', allowed_pages: other };
  expect((await harness.post(path(), form)).body).toEqual({ id: video, success: true });
  expect((await harness.get(path())).body.data).toEqual([
    {
      id: video,
      video_id: video,
      policy: 'block',
      excluded_ranges: [{ from: 0, to: 9000 }],
      allowed_pages: [other],
      creation_time: expect.any(String),
      status: 'in_progress',
    },
  ]);
  expect((await harness.post(path(), { video_id: video })).status).toBe(200);
  expect(await all()).toMatchObject([{ videoId: video, ownerId: harness.page, policy: 'monitor', excluded: [] }]);
  expect((await harness.delete(`${path()}?video_id=${video}`)).body).toEqual({ success: true });
  expect(await all()).toEqual([]);
  expect(error(await harness.delete(`${path()}?video_id=${video}`))?.code).toBe(100);
});

test('takes only own videos, Pages, and ranges that end after they start', async () => {
  const [own, foreign] = [await harness.video(), await harness.video(other)];
  for (const [form, name] of [
    [{ video_id: foreign }, 'video_id'],
    [{ video_id: own, allowed_pages: harness.user }, 'allowed_pages'],
    [{ video_id: own, excluded_ranges: '[{"from":5,"to":5}]' }, 'excluded_ranges'],
    [{ video_id: own, policy: 'delete' }, 'policy'],
  ] as const) {
    const reply = await harness.post(path(), { ...form });
    expect([name, error(reply)?.code]).toEqual([name, 100]);
    expect(error(reply)?.message).toContain(`Param ${name} must`);
  }
  expect(await all()).toEqual([]);
});

test('strangers neither list nor change references', async () => {
  const token = harness.strangerToken;
  const video_id = await harness.video();
  for (const reply of [
    await harness.get(path(), {}, { token }),
    await harness.post(path(), { video_id }, { token }),
    await harness.delete(`${path()}?video_id=${video_id}`, { token }),
  ]) {
    expect(reply.status).toBeGreaterThanOrEqual(400);
  }
  expect(await all()).toEqual([]);
});

test('a Page can have a bounded number of references, and keeps those that it has', async () => {
  const page = await harness.owner({ kind: 'page', name: 'Crowd', managerId: harness.user });
  const terms = { policy: 'monitor', excluded: [], allowedPages: [] } as const;
  const entries = Array.from({ length: API_LIMITS.referencesPerPage }, (_, at) => ({
    op: 'edgeAdd' as const,
    ...edgeOf(page, 'copyright_references'),
    member: String(at + 1),
    score: 1,
    value: terms,
  }));
  await harness.store.objects.commit(entries);
  const reply = await harness.post(`/${page}/copyright_references`, { video_id: await harness.video(page) });
  expect(error(reply)).toMatchObject({ code: 368 });
  expect(error(reply)?.message).toContain(`at most ${API_LIMITS.referencesPerPage} copyright references`);
  expect(await harness.store.objects.edgeSize(edgeOf(page, 'copyright_references'))).toBe(entries.length);
});

test('a reference goes with its video', async () => {
  const video = await harness.video();
  await harness.post(path(), { video_id: video });
  expect((await harness.delete(`/${video}`)).body).toMatchObject({ success: true });
  expect(await all()).toEqual([]);
  expect(await harness.store.objects.edgeSize(edgeOf(harness.page, 'copyright_references'))).toBe(0);
});

test('the operator adds and lists references by command', async () => {
  const video = await harness.video();
  const actions = admin();
  expect(await actions['reference.add']?.({ video, policy: 'block', exclude: ['0-1.5'] })).toMatchObject({
    id: video,
    owner_id: harness.page,
  });
  expect(await all()).toMatchObject([{ videoId: video, policy: 'block', excluded: [{ fromMs: 0, toMs: 1_500 }] }]);
  expect(await actions['reference.list']?.({})).toMatchObject({ references: [{ id: video, print: 'not made yet' }] });
  await expect(actions['reference.add']?.({ video, exclude: ['2-1'] })).rejects.toThrow('FROM-TO');
  const { store, clock } = harness;
  const made = { key: `videos/${video}/print`, version: PRINT.version, sourceKey: 'source' };
  await updateObject<VideoData>(store.objects, clock, video, ({ data }) => ({ data: { ...data, print: made } }));
  expect(await actions['reference.rebuild']?.({})).toEqual({ ordered: 1 });
  // It stays in the index until the new one is made.
  const rebuilt = await store.objects.get<VideoData>(video);
  expect(rebuilt?.data.print).toEqual({ ...made, sourceKey: '' });
  await actions['reference.remove']?.({ video });
  expect(await all()).toEqual([]);
});

test('confirming a match withholds a video, dismissing it releases the video and removes the match', async () => {
  const video = await harness.video();
  const details = {
    reference_id: '1',
    page_id: other,
    policy: 'monitor',
    start_ms: 0,
    offset_ms: 0,
    length_ms: 20_000,
    error_rate: 0.05,
    confidence: 0.9,
  } as const;
  const { objects } = harness.store;
  const stored = await objects.get<VideoData>(video);
  if (stored === undefined) throw new Error('no video');
  const { version: _version, ...object } = stored;
  const data: VideoData = { ...stored.data, copyrightCheck: { status: 'complete', matches: [details] } };
  const value: StoredMatch = { subjectId: video, ownerId: harness.page, details, state: 'open' };
  await objects.commit([
    { op: 'put', object: { ...object, data } },
    { op: 'edgeAdd', ...SYSTEM_EDGES.copyrightMatches, member: 'm1', score: 1, value },
  ]);
  const seen = async () => (await harness.get(`/${video}`, {}, { token: harness.strangerToken })).status === 200;
  const check = async () =>
    (await harness.get(`/${video}`, { fields: 'status' })).body.status.copyright_check_status.matches_found;
  const actions = admin();
  expect(await seen()).toBe(true);
  expect(await check()).toBe(true);
  expect(await actions['match.confirm']?.({ id: 'm1' })).toMatchObject({ state: 'confirmed', subject_id: video });
  expect(await seen()).toBe(false);
  expect(await actions['match.dismiss']?.({ id: 'm1' })).toMatchObject({ state: 'dismissed' });
  expect(await seen()).toBe(true);
  expect(await check()).toBe(false);
  expect(await actions['match.list']?.({ state: 'open' })).toEqual({ matches: [] });
});

test('the owner of a matched broadcast reads of a reference what the match says, and nothing else', async () => {
  const { store, clock } = harness;
  // A third user manages the Page of the reference.
  const manager = await harness.owner({ kind: 'user', name: 'Lea Label', profileAgeDays: 90, followers: 150 });
  const label = await harness.owner({ kind: 'page', name: 'Label', managerId: manager });
  const [token, managerToken] = [harness.token, await harness.tokenOf(manager)];
  const [matched, other] = [harness.ids.next(), harness.ids.next()];
  for (const id of [matched, other]) {
    const data: VideoData = { ownerId: label, ownerKind: 'page', published: false, isReferenceOnly: true };
    await store.objects.commit([{ op: 'put', object: { id, kind: 'video', createdMs: 1, updatedMs: 1, data } }]);
    const added = await harness.post(`/${label}/copyright_references`, { video_id: id }, { token: managerToken });
    expect(added.status).toBe(200);
  }
  const own = await harness.video();
  const details = { reference_id: matched, page_id: label, policy: 'monitor', start_ms: 0, offset_ms: 0 } as const;
  const rest = { length_ms: 20_000, error_rate: 0.05, confidence: 0.9 };
  await keepMatches(store.objects, { id: own, ownerId: harness.page }, [{ ...details, ...rest }], clock.wallMs());

  const [match] = (await harness.get(`/${own}/copyright_matches`)).body.data;
  expect(Object.keys(match).sort()).toEqual(
    [...Object.keys({ ...details, ...rest }), 'id', 'state', 'creation_time'].sort(),
  );
  for (const path of [
    `/${label}/copyright_references`,
    `/${label}/copyright_references?summary=total_count`,
    ...[matched, other].flatMap((id) => [`/${id}`, `/${id}?fields=status`, `/${id}/copyright_matches`]),
  ]) {
    const reply = await harness.get(path, {}, { token });
    expect([path, reply.status >= 400]).toEqual([path, true]);
    expect(JSON.stringify(reply.body)).not.toContain('Label');
  }
  const listed = await harness.get(`/${label}`, { fields: 'id,copyright_references' }, { token });
  expect(JSON.stringify(listed.body)).not.toContain(matched);
  const videos = await harness.get(`/${label}/videos`, { fields: 'id' }, { token });
  for (const id of [matched, other]) expect(JSON.stringify(videos.body)).not.toContain(id);
  // Nor does the owner of the reference learn what it was found in.
  const seen = await harness.get(`/${matched}`, { fields: 'id,status,copyright_matches' }, { token: managerToken });
  expect(JSON.stringify(seen.body)).not.toContain(own);
});
