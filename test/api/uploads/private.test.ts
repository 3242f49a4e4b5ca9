/** The files of a video are readable with a link to that file, or with a token that may read the video. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { broadcastScope } from '../../../src/api/access/broadcast-scope.js';
import { issueToken, revokeToken } from '../../../src/api/access/token-issue.js';
import { createOwner } from '../../../src/api/admin/owners.js';
import type { VideoData } from '../../../src/lifecycle/documents.js';
import { inFull } from '../../support/in-full.js';
import { makeMedia } from '../../support/media-files.js';
import { UploadHarness } from '../../support/upload-harness.js';

const DAY_MS = 86_400_000;
let harness: UploadHarness;
let bytes: Buffer;
let strangerId = '';
let stranger = '';

beforeAll(async () => {
  harness = await UploadHarness.open();
  bytes = readFileSync(
    makeMedia(join(harness.folder.path, 'a.mp4'), { size: '160x90', options: ['-movflags', '+faststart'] }),
  );
  strangerId = (await createOwner(at(), { kind: 'user', name: 'Sam' })).id;
  stranger = (await issueToken(at(), { ownerId: strangerId })).token;
});
afterAll(() => harness.close());

const at = () => ({ store: harness.store, clock: harness.clock, ids: harness.ids });

async function upload(owner: string, fields: Record<string, string> = {}): Promise<{ id: string; source: string }> {
  const { body } = await harness.post(`/${owner}/videos`, { ...fields, source: new Blob([new Uint8Array(bytes)]) });
  await harness.processed(body.id);
  const { source } = (await harness.get(`/${body.id}`, { fields: 'source' })).body;
  return { id: body.id, source };
}

const plain = (source: string): string => source.slice(0, source.indexOf('?'));
const statusOf = async (url: string, token?: string): Promise<number> => {
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
};

async function edit(id: string, change: Partial<VideoData>): Promise<void> {
  const video = await harness.store.objects.get<VideoData>(id);
  if (video === undefined) throw new Error('no video');
  const { version, ...object } = video;
  await harness.store.objects.commit([
    { op: 'put', object: { ...object, data: { ...video.data, ...change } }, expect: version },
  ]);
}

inFull('a draft is readable only with a link or a manager’s token', async () => {
  const { id, source } = await upload(harness.page, { published: 'false' });
  const file = plain(source);
  expect(await statusOf(file)).toBe(404);
  expect(await statusOf(file, stranger)).toBe(404);
  expect(await statusOf(file, 'no token at all')).toBe(404);
  expect(await statusOf(file, harness.token)).toBe(200);
  expect(await statusOf(`${file}?access_token=${harness.token}`)).toBe(200);
  expect(await statusOf(source)).toBe(200);
  await harness.post(`/${id}`, { published: 'true' });
  expect(await statusOf(file, stranger)).toBe(200);
  expect(await statusOf(file)).toBe(404);
});

test('a video in a secret group is readable by its members only', async () => {
  const { id: group } = await createOwner(at(), {
    kind: 'group',
    name: 'Secret',
    managerId: harness.user,
    privacy: 'SECRET',
  });
  const { id, source } = await upload(group);
  expect(await statusOf(plain(source), stranger)).toBe(404);
  expect(await statusOf(plain(source), harness.token)).toBe(200);
  expect((await fetch(`${harness.url}/${id}?fields=source&access_token=${stranger}`)).status).toBe(400);
  await harness.store.objects.commit([
    { op: 'edgeAdd', owner: group, edge: 'roles', member: strangerId, score: 1, value: { tasks: [] } },
  ]);
  expect(await statusOf(plain(source), stranger)).toBe(200);
});

test('a user’s video is readable according to its current privacy', async () => {
  const { id, source } = await upload(harness.page);
  const everyone = { allow: '', deny: '', value: 'EVERYONE' } as const;
  await edit(id, { ownerId: harness.user, ownerKind: 'user', privacy: everyone });
  expect(await statusOf(plain(source), stranger)).toBe(200);
  await edit(id, { privacy: { ...everyone, value: 'SELF' } });
  expect(await statusOf(plain(source), stranger)).toBe(404);
  expect(await statusOf(plain(source), harness.token)).toBe(200);
});

inFull('an expired, revoked or live-feed token reads no file', async () => {
  const { source } = await upload(harness.page);
  const short = await issueToken(at(), { ownerId: harness.user, expiresMs: harness.clock.wallMs() + 60_000 });
  const feed = await issueToken(at(), { ownerId: harness.user, scopes: [broadcastScope('1')] });
  const other = await issueToken(at(), { ownerId: harness.user });
  expect(await statusOf(plain(source), short.token)).toBe(200);
  expect(await statusOf(plain(source), other.token)).toBe(200);
  expect(await statusOf(plain(source), feed.token)).toBe(404);
  harness.clock.advance(61_000);
  expect(await statusOf(plain(source), short.token)).toBe(404);
  await revokeToken(at(), other.token);
  expect(await statusOf(plain(source), other.token)).toBe(404);
});

test('a link is valid for one file and one day, until the video is deleted', async () => {
  const [one, two] = [await upload(harness.page), await upload(harness.page)];
  const mark = one.source.indexOf('?');
  expect(await statusOf(one.source)).toBe(200);
  expect(await statusOf(plain(two.source) + one.source.slice(mark))).toBe(404);
  harness.clock.advance(26 * 3_600_000);
  expect(await statusOf(one.source)).toBe(404);
  const { source } = (await harness.get(`/${one.id}`, { fields: 'source' })).body;
  expect(await statusOf(source)).toBe(200);
  await harness.delete(`/${one.id}`);
  expect(await statusOf(source)).toBe(404);
  expect(await statusOf(plain(source), harness.token)).toBe(404);
  harness.clock.advance(DAY_MS);
});

test('a viewer who may read the video gets links that need no token', async () => {
  const { id } = await upload(harness.page);
  const { body } = await harness.get(`/${id}`, { fields: 'source,picture,thumbnails,format' });
  for (const url of [body.source, body.picture, body.thumbnails.data[0].uri, body.format[0].picture])
    expect([url, await statusOf(url)]).toEqual([url, 200]);
});
