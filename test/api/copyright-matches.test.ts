/** Copyright matches: what the owner of a broadcast reads and disputes, and what stays hidden from others. */

import { FileAccess } from '../../src/api/access/file-access.js';
import { DETECTOR } from '../../src/detection/limits.js';
import { keepMatches } from '../../src/detection/matches.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import { matchWrites, SYSTEM_EDGES, VOLATILE } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import type { MatchDetails } from '../../src/spec/error-record.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
let label: string;
let video: string;
let id: string;

beforeAll(async () => {
  harness = await ApiHarness.open();
  label = await harness.owner({ kind: 'page', name: 'Label', managerId: harness.user });
});
afterAll(() => harness.close());
beforeEach(async () => {
  video = await harness.video();
  id = `${video}_77_5000`;
  await keepMatches(harness.store.objects, { id: video, ownerId: harness.page }, [details()], 1_000);
});

const details = (): MatchDetails => ({
  reference_id: '77',
  page_id: label,
  policy: 'monitor',
  start_ms: 5_000,
  offset_ms: 0,
  length_ms: 20_000,
  error_rate: 0.05,
  confidence: 0.9,
});

function actions() {
  const { store, clock, ids, log, broadcasts } = harness;
  const quota = new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 });
  return adminActions({ store, broadcasts, clock, ids, quota, log, publicHttpUrl: 'http://localhost' });
}

const path = () => `/${video}/copyright_matches`;
const dispute = (reason: string, token?: string) =>
  harness.post(path(), { match_id: id, dispute: reason }, token === undefined ? {} : { token });
const states = async () => (await harness.get(path())).body.data.map(({ state }: { state: string }) => state);

test('the owner reads a match and disputes it once; the operator decides on the dispute', async () => {
  expect((await harness.get(path())).body.data).toMatchObject([{ id, state: 'open', page_id: label, start_ms: 5_000 }]);
  await actions()['match.confirm']?.({ id });
  expect(await states()).toEqual(['confirmed']);
  expect((await dispute('We have a license.')).body).toEqual({ id, success: true });
  expect((await dispute('Again.')).body.error.message).toContain('disputed already');
  expect(await actions()['match.list']?.({ state: 'disputed' })).toMatchObject({
    matches: [{ id, dispute: 'We have a license.' }],
  });
  // Withheld until the decision.
  const seen = async () => (await harness.get(`/${video}`, {}, { token: harness.strangerToken })).status;
  expect(await seen()).toBeGreaterThanOrEqual(400);
  await actions()['match.dismiss']?.({ id });
  expect(await seen()).toBe(200);
  expect((await dispute('Too late.')).body.error.message).toContain('dismissed');
  const lines = (await actions()['audit.list']?.({ owner: harness.page })) as { lines: { action: string }[] };
  const names = lines.lines.map(({ action }) => action);
  expect(names).toEqual(
    expect.arrayContaining(['match.confirmed', 'match.dismissed', 'dispute video copyright_matches']),
  );
});

test('a link that a stranger was given before opens no video that is withheld', async () => {
  const { store, clock } = harness;
  const files = new FileAccess({ store, clock, config: { publicHttpUrl: 'http://localhost' } });
  const idOf = async (token: string) => (await files.maySee(token, video)) ?? '';
  const [stranger, owner] = [await idOf(harness.strangerToken), await idOf(harness.token)];
  const open = () => Promise.all([stranger, owner, undefined].map((tokenId) => files.isOpenToLink(video, tokenId)));
  expect(await open()).toEqual([true, true, true]);
  await actions()['match.confirm']?.({ id });
  expect(await open()).toEqual([false, true, false]);
  await actions()['match.dismiss']?.({ id });
  expect(await open()).toEqual([true, true, true]);
  files.close();
});

test('a dismissed match releases nothing that another one holds', async () => {
  const seen = async () => (await harness.get(`/${video}`, {}, { token: harness.strangerToken })).status;
  const other = { ...details(), reference_id: '78' };
  await keepMatches(harness.store.objects, { id: video, ownerId: harness.page }, [other], 1_500);
  await actions()['match.confirm']?.({ id: `${video}_78_5000` });
  await actions()['match.dismiss']?.({ id });
  expect(await seen()).toBeGreaterThanOrEqual(400);
  await harness.post(path(), { match_id: `${video}_78_5000`, dispute: 'Ours.' });
  await actions()['match.dismiss']?.({ id });
  expect(await seen()).toBeGreaterThanOrEqual(400);
  await actions()['match.dismiss']?.({ id: `${video}_78_5000` });
  expect(await seen()).toBe(200);
});

test('strangers and the owner of the reference neither read nor dispute the matches of another Page', async () => {
  const owner = await harness.tokenOf(label);
  for (const token of [harness.strangerToken, owner]) {
    expect((await harness.get(path(), {}, { token })).status).toBeGreaterThanOrEqual(400);
    expect((await dispute('Mine.', token)).status).toBeGreaterThanOrEqual(400);
  }
  expect(await states()).toEqual(['open']);
});

test('refuses a dispute of the match of another video, and one without a reason', async () => {
  const other = await harness.video();
  const reply = await harness.post(`/${other}/copyright_matches`, { match_id: id, dispute: 'No.' });
  expect(reply.body.error.message).toContain('match_id');
  expect((await dispute('  ')).body.error.message).toContain('dispute');
  expect((await dispute('x'.repeat(2_001))).status).toBe(400);
});

test('a match found again keeps its decision, and goes with its video', async () => {
  await actions()['match.dismiss']?.({ id });
  await keepMatches(harness.store.objects, { id: video, ownerId: harness.page }, [details()], 2_000);
  expect(await states()).toEqual(['dismissed']);
  await harness.delete(`/${video}`);
  const left = (await actions()['match.list']?.({})) as { matches: { id: string }[] } | undefined;
  expect(left?.matches.map((match) => match.id)).not.toContain(id);
});

test('a running broadcast is in progress while the detector compares, and its matches count', async () => {
  const { store } = harness;
  const live = await harness.live({ status: 'LIVE_NOW' });
  const { data } = (await store.objects.get<LiveVideoData>(live)) ?? {};
  const check = async () =>
    (await harness.get(`/${data?.videoId}`, { fields: 'status' })).body.status.copyright_check_status;
  expect(await check()).toEqual({ status: 'not_started', matches_found: false });
  await harness.goLive(live);
  // All references are of this Page.
  await store.volatile.set(VOLATILE.copyrightDetector, { state: 'on', exempt: [harness.page] }, 60_000);
  expect(await check()).toEqual({ status: 'not_started', matches_found: false });
  await store.volatile.set(VOLATILE.copyrightDetector, { state: 'on', exempt: ['other'] }, 60_000);
  expect(await check()).toEqual({ status: 'in_progress', matches_found: false });
  await keepMatches(store.objects, { id: live, ownerId: harness.page }, [details()], 1_000);
  expect(await check()).toEqual({ status: 'in_progress', matches_found: true });
  await actions()['match.dismiss']?.({ id: `${live}_77_5000` });
  expect(await check()).toEqual({ status: 'in_progress', matches_found: false });
});

test('a full list loses decided matches, then those of the owner who has many more, and no open one of others', async () => {
  const { objects } = harness.store;
  const other = await harness.owner({ kind: 'page', name: 'Crowd', managerId: harness.user });
  const stored = (ownerId: string, state: 'open' | 'dismissed') =>
    ({ subjectId: `of-${ownerId}`, ownerId, details: details(), state }) as const;
  const writes = Array.from({ length: DETECTOR.matchesKept }, (_, at) => {
    const match = at < 50 ? stored(harness.page, 'open') : stored(other, at < 60 ? 'dismissed' : 'open');
    return matchWrites(`m${at}`, at + 1, match);
  });
  await objects.commit(writes.flat());
  await keepMatches(objects, { id: 'new', ownerId: other }, [details()], 20_000);
  const left = await objects.edgeSize(SYSTEM_EDGES.copyrightMatches);
  expect(left).toBeLessThanOrEqual(DETECTOR.matchesKept);
  const has = async (id: string) => (await objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, id)) !== undefined;
  expect([await has('m0'), await has('m49'), await has(id)]).toEqual([true, true, true]);
  expect([await has('m50'), await has('m59'), await has('m60')]).toEqual([false, false, false]);
  expect([await has('m9999'), await has('new_77_5000')]).toEqual([true, true]);
});
