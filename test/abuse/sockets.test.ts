/** One address opens as many HTTP sockets and requests as it can; other clients are served normally. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { HTTP_LIMITS } from '../../src/server/http/listener.js';
import { Airlock, serversOfEachTest } from '../support/airlock.js';
import { Bystander, expectStillUntouched, expectUntouched } from '../support/bystander.js';
import { closeOf } from '../support/sockets.js';

const PROXY = '127.0.0.9';
const TRICKLE = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ';

let airlock: Airlock;
/** Publishes beside all tests. */
let bystander: Bystander;
const opened: Socket[] = [];
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn', AIRLOCK_TRUSTED_PROXIES: PROXY });
  bystander = await Bystander.start(airlock);
});
afterAll(async () => {
  await expectUntouched(bystander).finally(() => airlock.stop());
});
afterEach(async () => {
  await expectStillUntouched(bystander);
  for (const socket of opened.splice(0)) socket.destroy();
});

interface Stranger {
  readonly socket: Socket;
  answer: string;
  isGone: boolean;
}

/** Resolves when the socket has connected or closed. */
async function stranger(from: string, text: string, port = airlock.quickstart.http_port): Promise<Stranger> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const made: Stranger = { socket, answer: '', isGone: false };
  opened.push(socket);
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    made.answer += bytes.toString('latin1');
  });
  const gone = closeOf(socket).then(() => {
    made.isGone = true;
  });
  await Promise.race([new Promise<void>((resolve) => socket.once('connect', () => resolve())), gone]);
  if (!made.isGone) socket.write(text);
  return made;
}

const strangers = (count: number, from: string, text: string): Promise<Stranger[]> =>
  Promise.all(Array.from({ length: count }, () => stranger(from, text)));

const held = (all: readonly Stranger[]): number => all.filter(({ isGone }) => !isGone).length;

/** A request whose body begins and then stalls. */
function slowPost(headers = ''): string {
  const { page_id: page, access_token: token } = airlock.quickstart;
  const head = `POST /${page}/live_videos?access_token=${token} HTTP/1.1\r\nHost: x\r\n${headers}`;
  return `${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ntitle=`;
}

/** The status of one request on a new connection. */
async function status(from: string, path: string, headers = ''): Promise<string> {
  const asked = await stranger(from, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
  if (!asked.isGone) await closeOf(asked.socket);
  return asked.answer.slice(9, 12);
}

test('limits 1,010 trickling sockets of one address to its own share', async () => {
  const slow = await strangers(1_010, '127.0.0.2', TRICKLE);
  const drip = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write('a');
  }, 1_000);
  expect(await status('127.0.0.1', '/healthz')).toBe('200');
  expect(await status('127.0.0.1', '/readyz')).toBe('200');
  // Requests from the same address are answered too: the socket that has been idle longest is closed.
  expect(await status('127.0.0.2', '/healthz')).toBe('200');
  clearInterval(drip);
  await airlock.until(
    async () => held(slow),
    (count) => count <= HTTP_LIMITS.socketsPerAddress,
  );
});

test('ignores forwarding headers of an untrusted proxy when counting sockets and bodies', async () => {
  const claims = 'X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n';
  const slow = await strangers(400, '127.0.0.3', `GET /healthz HTTP/1.1\r\nHost: x\r\n${claims}X-Slow: `);
  await airlock.until(
    async () => held(slow),
    (count) => count <= HTTP_LIMITS.socketsPerAddress,
  );
  for (const { socket } of slow) socket.destroy();
  const bodies = await strangers(HTTP_LIMITS.bodiesPerClient + 20, '127.0.0.3', slowPost(claims));
  await refusals(bodies, 20);
});

test('limits the slow bodies of one address without affecting others', async () => {
  const bodies = await strangers(HTTP_LIMITS.bodiesPerClient + 30, '127.0.0.4', slowPost());
  await refusals(bodies, 30);
  expect((await airlock.createLive()).id).toMatch(/^\d+$/);
});

test('behind a trusted proxy, counts bodies by forwarded client and does not limit sockets', async () => {
  const post = (client: string) => slowPost(`X-Forwarded-For: 127.0.0.1, ${client}\r\n`);
  const [one, other] = [HTTP_LIMITS.bodiesPerClient + 10, HTTP_LIMITS.bodiesPerClient];
  const greedy = await strangers(one, PROXY, post('2001:db8::1'));
  await refusals(greedy, 10);
  const same = await stranger(PROXY, post('2001:db8::ffff'));
  await refusals([same], 1);
  const modest = await strangers(other, PROXY, post('192.0.2.2'));
  const idle = await strangers(HTTP_LIMITS.socketsPerAddress, PROXY, TRICKLE);
  expect(await status(PROXY, '/healthz')).toBe('200');
  expect([held(modest), held(idle)]).toEqual([other, HTTP_LIMITS.socketsPerAddress]);
});

/** Expects `count` of them to be answered with 429, and the others to stay open. */
async function refusals(all: readonly Stranger[], count: number): Promise<void> {
  const refused = () => all.filter(({ answer }) => answer.startsWith('HTTP/1.1 429'));
  await airlock.until(
    async () => refused().length,
    (length) => length >= count,
  );
  expect(refused()).toHaveLength(count);
  expect(refused()[0]?.answer).toContain('"code":4');
  expect(held(all.filter((each) => !refused().includes(each)))).toBe(all.length - count);
}

const start = serversOfEachTest();

test('counts each call of a batch, and counts metrics, pages and upgrades against their token', async () => {
  const strict = await start({
    AIRLOCK_RATE_LIMIT_PER_TOKEN: '55',
    AIRLOCK_RATE_LIMIT_PER_ADDRESS: '110',
    AIRLOCK_TRUSTED_PROXIES: '127.0.0.1',
    AIRLOCK_LOG_LEVEL: 'warn',
  });
  const { access_token: token, http_url: url, http_port: port } = strict.quickstart;
  const ask = (path: string, from: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), { ...init, headers: { 'x-forwarded-for': from, authorization: `Bearer ${token}` } });
  const batch = JSON.stringify(new Array(50).fill({ method: 'GET', relative_url: 'me' }));
  const post = async (from: string) =>
    (await ask('/', from, { method: 'POST', body: new URLSearchParams({ batch }) })).json() as Promise<{
      error?: object;
    }>;
  expect(await post('192.0.2.1')).toHaveLength(50);
  // A token without the scope operator_read is refused, but counted.
  expect((await ask('/metrics', '192.0.2.2')).status).toBe(401);
  expect((await ask('/dashboard/', '192.0.2.3')).status).toBe(200);
  expect((await ask('/dashboard/data/broadcasts', '192.0.2.4')).status).toBe(200);
  const upgrade = `GET /live HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.5\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  const answer = async () => {
    const asked = await stranger('127.0.0.1', upgrade, port);
    await strict.until(
      async () => asked.answer,
      (text) => text.includes('\r\n\r\n'),
    );
    return asked.answer.slice(9, 12);
  };
  expect([await answer(), await answer(), await answer()]).toEqual(['101', '101', '429']);
  for (const path of [
    '/metrics',
    '/dashboard/',
    '/dock/',
    '/docs/',
    '/try',
    '/openapi.json',
    '/files/x',
    '/playback/1',
    '/embed/1',
  ]) {
    expect([path, (await ask(path, '192.0.2.6')).status]).toEqual([path, 429]);
  }
  expect((await post('192.0.2.1')).error).toMatchObject({ code: 17 });
  expect((await ask('/healthz', '192.0.2.1')).status).toBe(200);
});

describe('over TLS', () => {
  test('refuses sockets over the limit before their TLS handshake', async () => {
    const secure = await start({ AIRLOCK_HTTPS: 'on', AIRLOCK_LOG_LEVEL: 'warn' });
    const port = secure.quickstart.http_port;
    const hello = '\x16\x03\x01\x02\x00\x01';
    const slow = await Promise.all(Array.from({ length: 400 }, () => stranger('127.0.0.2', hello, port)));
    await secure.until(
      async () => held(slow),
      (count) => count <= HTTP_LIMITS.socketsPerAddress,
    );
    const probe = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    probe.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const [answer] = (await once(probe, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    probe.destroy();
    // The open handshakes must not delay the shutdown.
    expect(await secure.kill('SIGTERM')).toBe(0);
  });
});
