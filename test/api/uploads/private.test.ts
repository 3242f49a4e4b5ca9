/** The files of a video are readable with a link to that file, or with a token that may read the video. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { broadcastScope } from '../../../src/api/access/broadcast-scope.js';
import { issueToken, revokeToken } from '../../../src/api/access/token-issue.js';
import { createOwner } from '../../../src/api/admin/owners.js';
import type { VideoData } from '../../../src/broadcast/documents.js';
import { makeMedia } from '../../support/media-files.js';
import { UploadWorld } from '../../support/upload-world.js';

const DAY_MS = 86_400_000;
let world: UploadWorld;
let bytes: Buffer;
let strangerId = '';
let stranger = '';

beforeAll(async () => {
  world = await UploadWorld.open();
  bytes = readFileSync(
    makeMedia(join(world.folder.path, 'a.mp4'), { size: '160x90', options: ['-movflags', '+faststart'] }),
  );
  strangerId = (await createOwner(at(), { kind: 'user', name: 'Sam' })).id;
  stranger = (await issueToken(at(), { ownerId: strangerId })).token;
});
afterAll(() => world.close());

const at = () => ({ store: world.store, clock: world.clock, ids: world.ids });

async function upload(owner: string, fields: Record<string, string> = {}): Promise<{ id: string; source: string }> {
  const { body } = await world.post(`/${owner}/videos`, { ...fields, source: new Blob([new Uint8Array(bytes)]) });
  await world.processed(body.id);
  const { source } = (await world.get(`/${body.id}`, { fields: 'source' })).body;
  return { id: body.id, source };
}

const plain = (source: string): string => source.slice(0, source.indexOf('?'));
const statusOf = async (url: string, token?: string): Promise<number> => {
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
};

async function edit(id: string, change: Partial<VideoData>): Promise<void> {
  const video = await world.store.objects.get<VideoData>(id);
  if (video === undefined) throw new Error('no video');
  const { version, ...object } = video;
  await world.store.objects.commit([
    { op: 'put', object: { ...object, data: { ...video.data, ...change } }, expect: version },
  ]);
}

test('a draft is readable only with a link or a manager’s token', async () => {
  const { id, source } = await upload(world.page, { published: 'false' });
  const file = plain(source);
  expect(await statusOf(file)).toBe(404);
  expect(await statusOf(file, stranger)).toBe(404);
  expect(await statusOf(file, 'no token at all')).toBe(404);
  expect(await statusOf(file, world.token)).toBe(200);
  expect(await statusOf(`${file}?access_token=${world.token}`)).toBe(200);
  expect(await statusOf(source)).toBe(200);
  await world.post(`/${id}`, { published: 'true' });
  expect(await statusOf(file, stranger)).toBe(200);
  expect(await statusOf(file)).toBe(404);
});

test('a video in a secret group is readable by its members only', async () => {
  const { id: group } = await createOwner(at(), {
    kind: 'group',
    name: 'Secret',
    managerId: world.user,
    privacy: 'SECRET',
  });
  const { id, source } = await upload(group);
  expect(await statusOf(plain(source), stranger)).toBe(404);
  expect(await statusOf(plain(source), world.token)).toBe(200);
  expect((await fetch(`${world.url}/${id}?fields=source&access_token=${stranger}`)).status).toBe(400);
  await world.store.objects.commit([
    { op: 'edgeAdd', owner: group, edge: 'roles', member: strangerId, score: 1, value: { tasks: [] } },
  ]);
  expect(await statusOf(plain(source), stranger)).toBe(200);
});

test('a user’s video is readable according to its current privacy', async () => {
  const { id, source } = await upload(world.page);
  const everyone = { allow: '', deny: '', value: 'EVERYONE' } as const;
  await edit(id, { ownerId: world.user, ownerKind: 'user', privacy: everyone });
  expect(await statusOf(plain(source), stranger)).toBe(200);
  await edit(id, { privacy: { ...everyone, value: 'SELF' } });
  expect(await statusOf(plain(source), stranger)).toBe(404);
  expect(await statusOf(plain(source), world.token)).toBe(200);
});

test('an expired, revoked or live-feed token reads no file', async () => {
  const { source } = await upload(world.page);
  const short = await issueToken(at(), { ownerId: world.user, expiresMs: world.clock.wallMs() + 60_000 });
  const feed = await issueToken(at(), { ownerId: world.user, scopes: [broadcastScope('1')] });
  const other = await issueToken(at(), { ownerId: world.user });
  expect(await statusOf(plain(source), short.token)).toBe(200);
  expect(await statusOf(plain(source), other.token)).toBe(200);
  expect(await statusOf(plain(source), feed.token)).toBe(404);
  world.clock.advance(61_000);
  expect(await statusOf(plain(source), short.token)).toBe(404);
  await revokeToken(at(), other.token);
  expect(await statusOf(plain(source), other.token)).toBe(404);
});

test('a link is valid for one file and one day, until the video is deleted', async () => {
  const [one, two] = [await upload(world.page), await upload(world.page)];
  const mark = one.source.indexOf('?');
  expect(await statusOf(one.source)).toBe(200);
  expect(await statusOf(plain(two.source) + one.source.slice(mark))).toBe(404);
  world.clock.advance(26 * 3_600_000);
  expect(await statusOf(one.source)).toBe(404);
  const { source } = (await world.get(`/${one.id}`, { fields: 'source' })).body;
  expect(await statusOf(source)).toBe(200);
  await world.delete(`/${one.id}`);
  expect(await statusOf(source)).toBe(404);
  expect(await statusOf(plain(source), world.token)).toBe(404);
  world.clock.advance(DAY_MS);
});

test('a viewer who may read the video gets links that need no token', async () => {
  const { id } = await upload(world.page);
  const { body } = await world.get(`/${id}`, { fields: 'source,picture,thumbnails,format' });
  for (const url of [body.source, body.picture, body.thumbnails.data[0].uri, body.format[0].picture])
    expect([url, await statusOf(url)]).toEqual([url, 200]);
});
