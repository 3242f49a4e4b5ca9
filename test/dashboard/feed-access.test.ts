/** Authorization of the live feed: access tokens, and dock links limited to one broadcast. */
import { FeedAccess } from '../../src/api/access/feed-access.js';
import { issueToken, revokeToken } from '../../src/api/access/token-issue.js';
import { TokenReader } from '../../src/api/access/tokens.js';
import { createOwner } from '../../src/api/admin/owners.js';
import type { LiveVideoData, OwnerKind } from '../../src/lifecycle/documents.js';
import type { Clock, Store, StoredObject } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { handClock, memoryLog, realClock, temporaryFolder } from '../support/store-harness.js';

type LiveVideo = StoredObject<LiveVideoData>;

let store: Store;
let remove: () => void;
let clock: Clock & { advance(byMs: number): void };
let access: FeedAccess;
let nextId = 0;

const ids = { next: () => String(++nextId) };
const config = { publicHttpUrl: 'http://localhost' };
const deps = () => ({ store, clock, ids, config });

beforeEach(async () => {
  const folder = temporaryFolder();
  remove = folder.remove;
  store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
  clock = handClock();
  access = new FeedAccess(deps());
});

afterEach(async () => {
  access.close();
  await store.close();
  remove();
});

async function owners() {
  const { id: userId } = await createOwner(deps(), { kind: 'user', name: 'U' });
  const { id: strangerId } = await createOwner(deps(), { kind: 'user', name: 'S' });
  const { id: pageId } = await createOwner(deps(), { kind: 'page', name: 'P', managerId: userId });
  return { userId, strangerId, pageId };
}

async function live(
  ownerId: string,
  ownerKind: OwnerKind = 'page',
  over: Partial<LiveVideoData> = {},
): Promise<LiveVideo> {
  const data: LiveVideoData = {
    ownerId,
    ownerKind,
    videoId: ids.next(),
    status: 'LIVE',
    goLiveOnData: false,
    keyVersion: 1,
    stopOnDeleteStream: false,
    stream: 'connected',
    ...over,
  };
  const object = { id: ids.next(), kind: 'live_video', createdMs: 1, updatedMs: 1, data } as const;
  await store.objects.commit([{ op: 'put', object }]);
  return { ...object, version: 1 };
}

const tokenOf = async (ownerId: string, scopes?: readonly string[]): Promise<string> =>
  (await issueToken(deps(), { ownerId, ...(scopes ? { scopes } : {}) })).token;

test('a user reads their own broadcasts and those of the Pages they manage', async () => {
  const { userId, pageId, strangerId } = await owners();
  const viewer = await access.authenticate(await tokenOf(userId));
  expect([...(viewer?.ownerIds ?? [])].sort()).toEqual([userId, pageId].sort());
  expect(await viewer?.mayRead(await live(pageId))).toBe(true);
  expect(await viewer?.mayShare(await live(pageId))).toBe(true);
  expect(await viewer?.mayRead(await live(strangerId, 'user'))).toBe(false);
});

test('permission to watch a broadcast does not include its errors', async () => {
  const { pageId, strangerId } = await owners();
  const viewer = await access.authenticate(await tokenOf(strangerId));
  const broadcast = await live(pageId);
  expect(viewer?.ownerIds).toEqual([strangerId]);
  expect(await viewer?.mayRead(broadcast)).toBe(false);
  expect(await viewer?.mayShare(broadcast)).toBe(false);
});

test('a token without the publish scope reads, but creates no dock links', async () => {
  const { pageId } = await owners();
  const viewer = await access.authenticate(await tokenOf(pageId, ['pages_read_engagement']));
  const broadcast = await live(pageId);
  expect(await viewer?.mayRead(broadcast)).toBe(true);
  expect(await viewer?.mayShare(broadcast)).toBe(false);
});

test('rejects unknown, revoked and expired tokens', async () => {
  const { pageId } = await owners();
  expect(await access.authenticate('AL-nothing')).toBeUndefined();
  const { token, id } = await issueToken(deps(), { ownerId: pageId, expiresMs: clock.wallMs() + 1_000 });
  expect(await access.authenticate(token)).toMatchObject({ tokenId: id, expiresMs: clock.wallMs() + 1_000 });
  clock.advance(1_000);
  expect(await access.authenticate(token)).toBeUndefined();
  const revoked = await tokenOf(pageId);
  await revokeToken(deps(), revoked);
  expect(await access.authenticate(revoked)).toBeUndefined();
});

describe('a dock link', () => {
  test('reads only its broadcast, for 24 hours', async () => {
    const { pageId } = await owners();
    const [mine, another] = [await live(pageId), await live(pageId)];
    const { token, expiresMs } = await access.issueLink(mine);
    expect(expiresMs).toBe(clock.wallMs() + 24 * 3_600_000);
    const viewer = await access.authenticate(token);
    expect(viewer).toMatchObject({ ownerIds: [], broadcastIds: [mine.id], expiresMs });
    expect(await viewer?.mayRead(mine)).toBe(true);
    expect(await viewer?.mayRead(another)).toBe(false);
    expect(await viewer?.mayShare(mine)).toBe(false);
    clock.advance(24 * 3_600_000);
    expect(await access.authenticate(token)).toBeUndefined();
  });

  test('is rejected by the HTTP interface, although it belongs to the owner of the broadcast', async () => {
    const { pageId } = await owners();
    const { token } = await access.issueLink(await live(pageId));
    const reader = new TokenReader(store, clock, config);
    await expect(reader.read(token)).rejects.toMatchObject({ shape: { code: 190, status: 401 } });
    // The second read is answered from the cache.
    await expect(reader.read(token)).rejects.toMatchObject({ shape: { code: 190 } });
    reader.close();
  });

  test('is revoked with all others of its broadcast; those of other broadcasts stay valid', async () => {
    const { pageId } = await owners();
    const [mine, another] = [await live(pageId), await live(pageId)];
    const links = [await access.issueLink(mine), await access.issueLink(mine)];
    const kept = await access.issueLink(another);
    expect(await access.revokeLinks(mine.id, 'maker')).toBe(2);
    expect(await access.revokeLinks(mine.id, 'maker')).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    for (const { token } of links) expect(await access.authenticate(token)).toBeUndefined();
    expect(await access.authenticate(kept.token)).toMatchObject({ broadcastIds: [another.id] });
  });

  test('is limited per broadcast, and per owner over all its tokens, until earlier links expire', async () => {
    const { pageId, strangerId } = await owners();
    const [crowded, another, third] = [await live(pageId), await live(pageId), await live(pageId)];
    const [first, second] = [
      await issueToken(deps(), { ownerId: pageId }),
      await issueToken(deps(), { ownerId: pageId }),
    ];
    const issue = (broadcast: LiveVideo, count: number, maker = first.id) =>
      Promise.allSettled(Array.from({ length: count }, () => access.issueLink(broadcast, { makerId: maker })));
    const issued = (results: readonly PromiseSettledResult<unknown>[]) =>
      results.filter(({ status }) => status === 'fulfilled').length;
    expect(issued(await issue(crowded, 60))).toBe(50);
    await expect(access.issueLink(crowded, { makerId: second.id })).rejects.toMatchObject({
      shape: { code: 4, status: 429 },
    });
    expect(issued(await issue(another, 50))).toBe(50);
    expect(issued(await issue(third, 1))).toBe(0);
    expect(issued(await issue(third, 1, second.id))).toBe(0);
    expect(issued(await issue(await live(strangerId), 1))).toBe(1);
    await access.revokeLinks(crowded.id, 'maker');
    expect(issued(await issue(crowded, 1, second.id))).toBe(0);
    clock.advance(24 * 3_600_000 + 1);
    expect(issued(await issue(third, 1))).toBe(1);
  });

  test('cannot be forged with a made-up scope', async () => {
    const { pageId, strangerId } = await owners();
    const broadcast = await live(pageId);
    const viewer = await access.authenticate(await tokenOf(strangerId, [`read_broadcast:${broadcast.id}`]));
    expect(await viewer?.mayRead(broadcast)).toBe(false);
    await expect(tokenOf(pageId, ['read_broadcast:x'])).rejects.toThrow();
  });
});

describe('a link to the wall', () => {
  test('reads what the token that made it reads, also what begins later, for 30 days', async () => {
    const { userId, pageId, strangerId } = await owners();
    const maker = await issueToken(deps(), { ownerId: userId });
    const { token, expiresMs } = await access.issueWallLink(userId, { makerId: maker.id });
    expect(expiresMs).toBe(clock.wallMs() + 30 * 24 * 3_600_000);
    const viewer = await access.authenticate(token);
    expect(viewer).toMatchObject({ isWall: true, readsAll: false });
    expect([...(viewer?.ownerIds ?? [])].sort()).toEqual([userId, pageId].sort());
    expect(await viewer?.mayRead(await live(pageId))).toBe(true);
    expect(await viewer?.mayRead(await live(strangerId, 'user'))).toBe(false);
    expect(await viewer?.mayShare(await live(pageId))).toBe(false);
    const reader = new TokenReader(store, clock, config);
    await expect(reader.read(token)).rejects.toMatchObject({ shape: { code: 190, status: 401 } });
    reader.close();
  });

  test('ends with the token that made it, and with all others of its owner', async () => {
    const { userId, pageId } = await owners();
    const [maker, another] = [
      await issueToken(deps(), { ownerId: userId }),
      await issueToken(deps(), { ownerId: pageId }),
    ];
    const [ended, revoked] = [
      await access.issueWallLink(userId, { makerId: maker.id }),
      await access.issueWallLink(pageId, { makerId: another.id }),
    ];
    await revokeToken(deps(), maker.token);
    expect(await access.revokeWallLinks(pageId, another.id)).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await access.authenticate(ended.token)).toBeUndefined();
    expect(await access.authenticate(revoked.token)).toBeUndefined();
    expect(await access.authenticate(another.token)).toMatchObject({ tokenId: another.id });
  });
});
