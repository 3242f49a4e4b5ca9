/** The documents at `/help/`, from a small folder such as the build of the site makes it. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createHelp } from '../../src/dashboard/help.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const home = temporaryFolderOfFile();
const root = join(home.path, 'help');
const sources = join(home.path, 'sources');
const INLINE = 'document.documentElement.classList.add("dark")';
const page = (content: string) => `<!doctype html><script>${INLINE}</script><main>${content}</main>`;
const RULE_PLACE = '/help/rules/video#6208-key_frame_interval_too_long';
const SITE = {
  'index.html': page('<h1>Documents</h1>'),
  '404.html': page('<h1>No such page</h1>'),
  'rules/video.html': page('<h3 id="6208-key_frame_interval_too_long">6208</h3>'),
  'assets/chunks/@localSearchIndexroot.D3.js': 'export default "6208 KEY_FRAME_INTERVAL_TOO_LONG"',
  'assets/picture.aB.webp': 'RIFF',
  'files/docs/operations/alerts.yml': 'groups: []',
};
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(createHelp({ root, sources })).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  for (const folder of [root, sources]) rmSync(folder, { recursive: true, force: true });
});

function build(site: Readonly<Record<string, string>> = SITE): void {
  for (const [name, text] of Object.entries(site)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const inlineScripts = [createHash('sha256').update(INLINE).digest('base64')];
  writeFileSync(join(root, 'site.json'), JSON.stringify({ inlineScripts, rules: { 6208: RULE_PLACE } }));
}

const ask = (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init });
const read = async (path: string) => {
  const answer = await ask(path);
  return [answer.status, answer.headers.get('content-type'), await answer.text()];
};

test('serves the home page, a page of rules with its anchor, the index of the search, and files', async () => {
  build();
  expect(await read('/help/')).toEqual([200, 'text/html; charset=utf-8', SITE['index.html']]);
  expect(await read('/help/rules/video')).toEqual([200, 'text/html; charset=utf-8', SITE['rules/video.html']]);
  const index = 'assets/chunks/@localSearchIndexroot.D3.js';
  expect(await read(`/help/${index}`)).toEqual([200, 'text/javascript; charset=utf-8', SITE[index]]);
  expect(await read('/help/assets/picture.aB.webp')).toEqual([200, 'image/webp', 'RIFF']);
  expect(await read('/help/files/docs/operations/alerts.yml')).toEqual([
    200,
    'text/plain; charset=utf-8',
    'groups: []',
  ]);
});

test('a script runs from the server, or by its hash, and never for being inline', async () => {
  build();
  const { headers } = await ask('/help/');
  const policy = headers.get('content-security-policy') ?? '';
  const hash = createHash('sha256').update(INLINE).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("default-src 'none';");
  expect(policy).toContain("style-src 'self';");
  expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('an unknown path gets the frame of the site with status 404, and no path leaves its folder', async () => {
  build();
  writeFileSync(join(home.path, 'secret.html'), 'secret');
  for (const path of [
    '/help/nothing',
    '/help/..%2fsecret',
    '/help/%2e%2e/secret',
    '/help/site.json',
    '/help//etc/passwd',
    '/help/rules/9999',
  ]) {
    expect([path, ...(await read(path))]).toEqual([path, 404, 'text/html; charset=utf-8', SITE['404.html']]);
  }
});

test('other spellings of an address lead to it', async () => {
  build();
  for (const [path, place] of [
    ['/help', '/help/'],
    ['/help/rules/video.html', '/help/rules/video'],
    ['/help/rules/6208', RULE_PLACE],
  ] as const) {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, place]);
  }
  expect((await ask('/help/', { method: 'POST' })).status).toBe(405);
});

test('assets stay in caches; a page is asked for again, and comes once', async () => {
  const index = SITE['index.html'];
  build();
  writeFileSync(join(root, 'index.html.br'), brotliCompressSync(index));
  const asset = await ask('/help/assets/picture.aB.webp');
  expect(asset.headers.get('cache-control')).toContain('immutable');
  const first = await ask('/help/', { headers: { 'accept-encoding': 'br' } });
  expect([first.headers.get('cache-control'), first.headers.get('content-encoding')]).toEqual(['no-cache', 'br']);
  expect(await first.text()).toBe(index);
  const again = await ask('/help/', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

test('a start from the sources builds the site meanwhile: the page says so, and finds it then', async () => {
  mkdirSync(sources);
  const waiting = await ask('/help/tutorials/obs');
  expect([waiting.status, await waiting.text()]).toEqual([503, expect.stringContaining('being built')]);
  build();
  expect((await ask('/help/')).status).toBe(200);
});

test('an installation without documents says where they are', async () => {
  expect(await read('/help/')).toEqual([404, 'text/html; charset=utf-8', expect.stringContaining('source code')]);
});
