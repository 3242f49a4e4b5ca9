import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { byteRange, fileHandler } from '../../src/vod/files/file-handler.js';
import { SignedLinks } from '../../src/vod/files/signed-links.js';
import { handClock, memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
const clock = handClock();
const links = new SignedLinks(Buffer.from('the server key'), clock);
const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i & 0xff));
const PATH = '/files/videos/12/source-1.mp4';
let server: Server;
let origin = '';
const ended = new Set<string>();

beforeAll(async () => {
  const blobs = await FolderBlobs.open(folder.path, 0);
  await blobs.put('videos/12/source-1.mp4', bytes);
  await blobs.put('videos/13/source-1.mp4', bytes);
  await blobs.put('videos/12/page.html', Buffer.from('<script>alert(1)</script>'));
  await blobs.put('videos/12/captions/de_de.srt', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHallo\n'));
  await blobs.put('parts/12/secret', Buffer.from('unfinished'));
  const tokens = {
    maySee: async (token: string, videoId: string) => (token === 'good' && videoId === '12' ? '1' : undefined),
    isValid: async (tokenId: string) => !ended.has(tokenId),
    isOpenToLink: async (videoId: string, tokenId: string | undefined) => videoId !== '13' || tokenId === '7',
    watch: () => () => undefined,
  };
  server = createServer(fileHandler({ blobs, links, log: memoryLog(), tokens }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(origin + path, { headers, method });
const signed = (headers?: Record<string, string>, method?: string) => ask(links.sign(PATH), headers, method);
const body = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

test('a signed link does not open a video that was withheld since, except for its managers', async () => {
  const path = '/files/videos/13/source-1.mp4';
  const statuses = [links.sign(path), links.sign(path, '8'), links.sign(path, '7')].map(
    async (link) => (await ask(link)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
});

test('a signed link serves the file with its own type, never sniffed', async () => {
  const answer = await signed();
  expect(answer.status).toBe(200);
  expect((await body(answer)).equals(bytes)).toBe(true);
  const headers = Object.fromEntries(answer.headers);
  expect(headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '1000',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  });
  expect(headers['content-security-policy']).toContain('sandbox');
  const page = await ask(links.sign('/files/videos/12/page.html'));
  expect(page.headers.get('content-type')).toBe('application/octet-stream');
});

test('serves ranges', async () => {
  const middle = await signed({ range: 'bytes=10-19' });
  expect([middle.status, middle.headers.get('content-range')]).toEqual([206, 'bytes 10-19/1000']);
  expect(await body(middle)).toEqual(bytes.subarray(10, 20));
  expect(await body(await signed({ range: 'bytes=990-' }))).toEqual(bytes.subarray(990));
  expect(await body(await signed({ range: 'bytes=-5' }))).toEqual(bytes.subarray(995));
  const beyond = await signed({ range: 'bytes=1000-' });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
  expect((await signed({ range: 'bytes=0-1,5-6' })).status).toBe(200);
  // RFC 9110, 14.2: a range is ignored for any other method than GET.
  const head = await signed({ range: 'bytes=10-19' }, 'HEAD');
  expect([head.status, head.headers.get('content-length'), head.headers.get('content-range')]).toEqual([
    200,
    '1000',
    null,
  ]);
});

test.each([
  [undefined, { kind: 'whole' }],
  ['bytes=0-0', { kind: 'part', start: 0, end: 0 }],
  ['bytes=5-2000', { kind: 'part', start: 5, end: 99 }],
  ['bytes=-2000', { kind: 'part', start: 0, end: 99 }],
  ['bytes=-0', { kind: 'unsatisfiable' }],
  ['bytes=100-100', { kind: 'unsatisfiable' }],
  ['bytes=9-3', { kind: 'whole' }],
  ['bytes=-', { kind: 'whole' }],
  ['items=0-1', { kind: 'whole' }],
  ['bytes=x-1', { kind: 'whole' }],
])('parses the range %j of 100 bytes', (header, expected) => {
  expect(byteRange(header, 100)).toEqual(expected);
});

test('answers 304 for an unchanged file', async () => {
  const etag = (await signed()).headers.get('etag') ?? '';
  expect((await signed({ 'if-none-match': `"x", ${etag}` })).status).toBe(304);
  expect((await signed({ 'if-none-match': '"x"' })).status).toBe(200);
  const modified = (await signed()).headers.get('last-modified') ?? '';
  expect((await signed({ 'if-modified-since': modified })).status).toBe(304);
  expect((await signed({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
  expect((await signed({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
});

test('HEAD sends the headers only; other methods are refused', async () => {
  const head = await signed({}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), (await body(head)).length]).toEqual([200, '1000', 0]);
  expect((await signed({}, 'DELETE')).status).toBe(405);
  expect((await signed({}, 'OPTIONS')).status).toBe(204);
});

test('answers 404 without a valid link or an authorized token', async () => {
  const link = links.sign(PATH);
  for (const path of [
    PATH,
    link.replace('source-1', 'source-2'),
    link.replace(/s=./, 's=!'),
    `${link}x`,
    link.replace(/e=[^&]+/, 'e=zzzzzz'),
    `${PATH}?access_token=bad`,
    links.sign('/files/parts/12/secret'),
    links.sign('/files/videos/12/../../parts/12/secret'),
    links.sign('/files/videos/12//source-1.mp4'),
    links.sign('/files/videos/12/none.mp4'),
  ]) {
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  }
  expect((await ask(`${PATH}?access_token=good`)).status).toBe(200);
  expect((await ask(PATH, { authorization: 'Bearer good' })).status).toBe(200);
  expect((await ask('/files/videos/13/x.mp4', { authorization: 'Bearer good' })).status).toBe(404);
});

test('serves captions as WebVTT', async () => {
  const answer = await ask(links.sign('/files/videos/12/captions/de_de.vtt'));
  expect(answer.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  expect(await answer.text()).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHallo\n');
  expect((await ask(links.sign('/files/videos/12/captions/fr_fr.vtt'))).status).toBe(404);
});

test('a link stays the same for an hour and expires after a day', async () => {
  const link = links.sign(PATH);
  clock.advance(60_000);
  expect(links.sign(PATH)).toBe(link);
  clock.advance(23 * 3_600_000);
  expect((await ask(link)).status).toBe(200);
  clock.advance(2 * 3_600_000);
  expect((await ask(link)).status).toBe(404);
});

test('a link ends with the token that asked for it', async () => {
  const link = links.sign(PATH, '5');
  expect((await ask(link)).status).toBe(200);
  expect((await ask(link.replace('t=5', 't=6'))).status).toBe(404);
  expect((await ask(link.replace('&t=5', ''))).status).toBe(404);
  ended.add('5');
  expect((await ask(link)).status).toBe(404);
  expect((await signed()).status).toBe(200);
});
