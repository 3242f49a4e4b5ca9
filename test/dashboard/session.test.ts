/** The session of a browser over HTTP: how it begins and ends, and what a thief or a page of another site can do with it. */

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { GRAPH } from '../../src/spec/graph.js';
import { accessibilityFaults, screenshot } from '../support/browser.js';
import { inFull } from '../support/in-full.js';
import { until } from '../support/store-harness.js';
import { browser, faults, harness, openPages, page } from './pages-harness.js';

openPages({ width: 1280, height: 900 });

const CODE = 'a'.repeat(43);
const OWN = { 'x-airlock-page': '1' };

interface Asked {
  readonly method?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As one of our own pages asks. */
function ask(path: string, { method = 'GET', cookie, headers = {} }: Asked = {}): Promise<Response> {
  const change = method === 'GET' ? {} : { origin: harness.httpUrl };
  const held = cookie === undefined ? {} : { cookie: `airlock-session-${harness.port}=${cookie}` };
  return fetch(harness.httpUrl + path, {
    method,
    redirect: 'manual',
    headers: { ...OWN, ...change, ...held, ...headers },
  });
}

const enter = (authorization: string, more: Asked = {}): Promise<Response> =>
  ask('/dashboard/session', { method: 'POST', ...more, headers: { authorization, ...more.headers } });

const cookieOf = (answer: Response): string =>
  /^[\w-]+=([\w-]*);/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? 'none';

test('a token or the code of a link begins a session, whose cookie is bound to the dashboard and its port', async () => {
  const made = await enter('Bearer page-7');
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(made.headers.get('set-cookie')).toMatch(
    new RegExp(
      `^airlock-session-${harness.port}=[\\w-]{43}; Path=/dashboard/; Max-Age=43(199|200); HttpOnly; SameSite=Strict$`,
    ),
  );
  expect(await made.json()).toEqual({ session: { owner_id: '7', expires: expect.any(String) } });
  const byCode = await enter(`SignIn ${CODE}`);
  expect(byCode.status).toBe(201);
  expect(await (await ask('/dashboard/session', { cookie: cookieOf(byCode) })).json()).toMatchObject({
    session: { owner_id: '7' },
  });
  expect(await (await ask('/dashboard/session')).json()).toEqual({ session: null });
  for (const wrong of ['Bearer unknown', 'SignIn short', `SignIn ${'b'.repeat(43)}`, '']) {
    const refused = await enter(wrong);
    expect([wrong, refused.status, refused.headers.get('set-cookie')]).toEqual([wrong, 401, null]);
  }
});

test('over HTTPS the cookie is secure, also where TLS ends at a proxy', async () => {
  const headers = { origin: 'https://video.example.com' };
  const made = await enter('Bearer page-7', { headers });
  const cookie = made.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(
    new RegExp(`^__Secure-airlock-session-${harness.port}=[\\w-]{43}; .*; SameSite=Strict; Secure$`),
  );
  const [pair = ''] = cookie.split(';');
  const out = await ask('/dashboard/session', { method: 'DELETE', headers: { ...headers, cookie: pair } });
  expect(out.headers.get('set-cookie')).toMatch(/^__Secure-airlock-session-\d+=; .*Max-Age=0; .*; Secure$/);
  expect(await (await ask('/dashboard/session', { headers: { cookie: pair } })).json()).toEqual({ session: null });
});

test('a session reads and writes with its token, and the interface itself reads no cookie', async () => {
  await harness.live('1');
  const { cookie } = await harness.signIn('page-7');
  const listed = await ask('/dashboard/api/data/broadcasts?search=Broad', { cookie });
  expect([listed.status, await listed.json()]).toEqual([
    200,
    expect.objectContaining({ broadcasts: [expect.anything()] }),
  ]);
  const path = '/dashboard/api/v24.0/1?fields=title';
  expect((await ask(path, { method: 'POST', cookie })).status).toBe(404);
  expect(harness.passed.splice(0)).toMatchObject([
    { method: 'POST', url: '/v24.0/1?fields=title', headers: { authorization: 'Bearer page-7' } },
  ]);
  await ask('/dashboard/api/me', { cookie });
  expect(harness.passed.splice(0)[0]?.headers).not.toHaveProperty('cookie');
  for (const other of ['/dashboard/data/viewer', '/dashboard/data/broadcasts']) {
    expect([other, (await ask(other, { cookie })).status]).toEqual([other, 401]);
  }
  for (const page of ['/docs/', '/files/1', '/dashboard/api/me', '/dashboard/', '/playback/1.flv', '/report/1/a']) {
    expect([page, (await ask(`/dashboard/api${page}`, { cookie })).status]).toEqual([page, 404]);
  }
  expect(harness.passed).toEqual([]);
});

test('every operation of the interface can be asked for with a session', async () => {
  const { cookie } = await harness.signIn('page-7');
  for (const { method, path } of GRAPH) {
    await ask(`/dashboard/api${path.replaceAll(/\{[^}]+\}/g, '1')}`, { method, cookie });
  }
  expect(harness.passed).toHaveLength(GRAPH.length);
});

test('a server that requires a proof gets that of the session', async () => {
  const { cookie } = await harness.sessions.begin({
    ...{ token: 'page-7', proof: 'a proof', tokenId: '1', ownerId: '7', from: '127.0.0.1' },
  });
  await ask('/dashboard/api/me', { cookie });
  await ask('/dashboard/api/me?fields=id', { cookie });
  expect(harness.passed.map(({ url }) => url)).toEqual([
    '/me?appsecret_proof=a%20proof',
    '/me?fields=id&appsecret_proof=a%20proof',
  ]);
});

test('what another site asks for is refused, whatever cookie comes with it', async () => {
  const { cookie } = await harness.signIn('page-7');
  const foreign = 'http://127.0.0.1:1';
  const asked: readonly (readonly [string, Asked])[] = [
    ['GET without our header', { headers: { 'x-airlock-page': '' } }],
    ['GET of another port', { headers: { origin: foreign } }],
    ['POST of another site', { method: 'POST', headers: { origin: 'https://example.org' } }],
    ['POST of another port', { method: 'POST', headers: { origin: foreign } }],
    ['POST of a sandboxed frame', { method: 'POST', headers: { origin: 'null' } }],
    ['POST without our header', { method: 'POST', headers: { 'x-airlock-page': '' } }],
    ['DELETE of another scheme', { method: 'DELETE', headers: { origin: `ftp://127.0.0.1:${harness.port}` } }],
    ['preflight', { method: 'OPTIONS', headers: { 'x-airlock-page': '', origin: foreign } }],
  ];
  for (const [what, init] of asked) {
    for (const path of ['/dashboard/api/me', '/dashboard/session']) {
      const answer = await ask(path, { cookie, ...init });
      expect([what, path, answer.status]).toEqual([what, path, 403]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  }
  const bare = await fetch(`${harness.httpUrl}/dashboard/session`, {
    method: 'DELETE',
    headers: { ...OWN, cookie: `airlock-session-${harness.port}=${cookie}` },
  });
  expect(bare.status).toBe(403);
  expect(harness.passed).toEqual([]);
  expect(await harness.sessions.find(cookie)).toBeDefined();
  const socket = new WebSocket(`ws://127.0.0.1:${harness.port}/dashboard/live`, {
    headers: { origin: foreign, cookie: `airlock-session-${harness.port}=${cookie}` },
  });
  expect((await once(socket, 'unexpected-response'))[1]).toMatchObject({ statusCode: 403 });
  expect(harness.refused).toContainEqual({ action: 'sign-in refused: session from another origin', from: '127.0.0.1' });
});

test('a stolen cookie opens nothing but the session, and nothing once its owner signs out everywhere', async () => {
  const [stolen, other] = [await harness.signIn('page-7'), await harness.signIn('page-7')];
  for (const authorization of [`Bearer ${stolen.cookie}`, `SignIn ${stolen.cookie}`]) {
    expect((await enter(authorization)).status).toBe(401);
    expect((await ask('/dashboard/data/viewer', { headers: { authorization } })).status).toBe(401);
  }
  const feed = await harness.follow(stolen.cookie);
  await feed.next('ready');
  const out = await ask('/dashboard/session?everywhere=true', { method: 'DELETE', cookie: other.cookie });
  expect([out.status, cookieOf(out)]).toEqual([200, '']);
  expect(await feed.closed).toEqual({ code: 4401, reason: 'the session has ended' });
  const replayed = await ask('/dashboard/api/data/viewer', { cookie: stolen.cookie });
  expect([replayed.status, cookieOf(replayed)]).toEqual([401, '']);
  expect(harness.refused).toContainEqual({
    action: 'sign-in refused: unknown, ended or expired session',
    from: '127.0.0.1',
  });
});

test('a cookie is worth nothing after its browser signed out or in anew, and after its token ended', async () => {
  const first = cookieOf(await enter('Bearer page-7'));
  const second = cookieOf(await enter('Bearer page-7', { cookie: first }));
  const third = await harness.signIn('page-7');
  await ask('/dashboard/session', { method: 'DELETE', cookie: third.cookie });
  for (const cookie of [first, third.cookie]) {
    expect((await ask('/dashboard/api/data/viewer', { cookie })).status).toBe(401);
  }
  expect((await ask('/dashboard/api/data/viewer', { cookie: second })).status).toBe(200);
  harness.tokens.delete('page-7');
  expect((await ask('/dashboard/api/data/viewer', { cookie: second })).status).toBe(401);
  expect(await (await ask('/dashboard/session', { cookie: second })).json()).toEqual({ session: null });
  const feed = await harness.follow(second);
  expect(await feed.closed).toMatchObject({ code: 4401 });
});

test('a new tab is signed in, a link opens twice in its browser, and signing out reaches every tab', async () => {
  await harness.live('1', { title: 'Evening news', streamSinceMs: Date.now() });
  const link = `${harness.httpUrl}/dashboard/#/sign-in/${CODE}`;
  const list = { name: /Evening news/ };
  await page.goto(link);
  await page.getByRole('link', list).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(link);
  await tab.getByRole('link', list).waitFor();
  await tab.goto(`${harness.httpUrl}/dashboard/#/broadcasts/1`);
  await tab.getByRole('heading', { name: 'Evening news' }).waitFor();
  expect(await tab.evaluate('document.cookie + JSON.stringify(sessionStorage)')).toBe('{}');

  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  await other.goto(link);
  await other.getByText('This sign-in link was already used').waitFor();
  await stranger.close();

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText('Signed in as A Page').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await screenshot(page, 'account-menu');
  await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  await page.getByLabel('Access token').waitFor();
  await tab.getByText('Your session has ended. Sign in again.').waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await until(async () => (await ask('/dashboard/session')).ok);
  expect(faults).toEqual([]);
});

inFull('two tabs that open one link at a time are both signed in', async () => {
  const link = `${harness.httpUrl}/dashboard/#/sign-in/${CODE}`;
  const tab = await page.context().newPage();
  await Promise.all([page.goto(link), tab.goto(link)]);
  for (const each of [page, tab]) await each.getByText('Up to date').waitFor();
});

inFull('a link that was used elsewhere leaves who is signed in as before', async () => {
  await page.goto(`${harness.httpUrl}/dashboard/#/sign-in/${CODE}`);
  await page.getByText('Up to date').waitFor();
  await page.goto(`${harness.httpUrl}/dashboard/#/sign-in/${'b'.repeat(43)}`);
  await page.getByText('This sign-in link was already used').waitFor();
  await page.getByRole('button', { name: 'Stay signed in as before' }).click();
  await page.getByText('Up to date').waitFor();
});
