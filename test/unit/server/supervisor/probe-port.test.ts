/** Probes, and whatever else arrives on their port. The web process is an HTTP server of the test. */

import dns from 'node:dns';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { PROBE_LIMITS } from '../../../../src/server/supervisor/limits.js';
import { type IngestState, ProbePort } from '../../../../src/server/supervisor/probe-port.js';
import { inFull } from '../../../support/in-full.js';
import { closeOf } from '../../../support/sockets.js';
import { memoryLog, until } from '../../../support/store-harness.js';

const HALF = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const HEALTHZ = `${HALF}\r\n`;

let web: Server;
let answerOfWeb: RequestListener;
let ingest: IngestState;
let asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];
const log = memoryLog();
let probe: ProbePort;
let port: number;
beforeAll(async () => {
  web = createServer((request, response) => {
    asked.push({ url: request.url, headers: request.headers });
    answerOfWeb(request, response);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  probe = new ProbePort({ ...options(), requestMs: 60_000 });
  port = await probe.listen();
});
beforeEach(() => {
  asked = [];
  ingest = 'ok';
  log.lines.length = 0;
  answerOfWeb = (_request, response) => void response.end('of web');
});
afterEach(() => expect(log.lines).toEqual([]));
afterAll(() => {
  probe.close();
  web.close();
  web.closeAllConnections();
});

const options = () => ({
  host: '0.0.0.0',
  port: 0,
  httpHost: '127.0.0.1',
  httpPort: (web.address() as AddressInfo).port,
  isTls: false,
  ingest: () => ingest,
  log,
});

/** `answer` is what came until the connection closed. */
function open(
  text: string | Buffer,
  from = '127.0.0.1',
  at = port,
): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect({ port: at, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  socket.write(text);
  return { socket, answer: closeOf(socket).then(() => answer) };
}

const statusOf = async (text: string | Buffer, from?: string) => (await open(text, from).answer).split('\r\n', 1)[0];

test.each([
  ['//', 400],
  ['///healthz', 400],
  ['*', 400],
  ['http://', 400],
  ['http://[', 400],
  ['http://[::1/healthz', 200],
  ['http://a/healthz', 200],
  ['HTTP://a:1/healthz?a=b', 200],
  ['/healthz?%', 400],
  ['/healthz%zz', 400],
  ['/%c0%af', 404],
  ['/healthz/../x', 404],
  ['/\\\\', 404],
  ['/healthz', 200],
  ['/healthz?//', 200],
])('a request for %s gets %i', async (target, status) => {
  expect(await statusOf(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each([
  ['NUL bytes', Buffer.alloc(100), 400],
  ['a NUL in the target', 'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['two lengths', 'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['headers without an end', `${HALF}X: ${'a'.repeat(PROBE_LIMITS.headerBytes)}\r\n\r\n`, 431],
  ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex'), 400],
  ['another method', HEALTHZ.replace('GET', 'POST'), 405],
  ['an expectation that is not met', `${HALF}Expect: x\r\n\r\n`, 200],
  ['an upgrade', `${HALF}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 200],
])('%s gets an answer', async (_name, text, status) => {
  expect(await statusOf(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

inFull('the port answers the next probe after any bytes', async () => {
  const piece = fc.oneof(
    fc.constantFrom('GET ', 'POST ', 'OPTIONS ', 'CONNECT ', '/', '//', '*', 'http://', '[', '%', '?', '#', '@', ':'),
    fc.constantFrom(
      '/healthz',
      '/readyz',
      '/metrics',
      ' HTTP/1.1\r\n',
      'Host: a\r\n',
      '\r\n',
      '\r\n\r\n',
      '\0',
      '\x7f',
    ),
    fc.constantFrom('Authorization: ', 'Expect: ', 'Transfer-Encoding: chunked\r\n', 'Connection: Upgrade\r\n', 'é'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const target = fc
    .array(piece, { maxLength: 6 })
    .map((pieces) => `GET ${pieces.join('')} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const text = fc.oneof(
    target,
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  );
  await fc.assert(
    fc.asyncProperty(text, async (bytes) => {
      const { socket, answer } = open(Buffer.from(bytes, 'latin1'));
      socket.end();
      expect(await answer).toMatch(/^$|^HTTP\/1\.1 [2-5]\d\d /);
      expect(log.lines).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(await statusOf(HEALTHZ)).toBe('HTTP/1.1 200 OK');
});

test('passes a probe of the web process on, and its answer back', async () => {
  answerOfWeb = (_request, response) => void response.writeHead(503, { 'X-Kept': '1' }).end('of web');
  const answer = await open('GET http://a/readyz?role=web HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\n\r\n')
    .answer;
  expect(answer).toMatch(/^HTTP\/1.1 503 .*x-kept: 1.*of web/is);
  expect(asked).toMatchObject([{ url: '/readyz?role=web', headers: { authorization: 'Bearer t' } }]);
});

test.each(['0.0.0.0', '::'])(
  'reaches a web process that listens on %s without a name: there may be no /etc/hosts',
  async (httpHost) => {
    const lookup = jest.spyOn(dns, 'lookup');
    const own = new ProbePort({ ...options(), httpHost });
    try {
      const answer = await open(HEALTHZ.replace('healthz', 'readyz'), '127.0.0.1', await own.listen()).answer;
      const names = lookup.mock.calls.map(([name]) => name).filter((name) => isIP(name) === 0);
      expect([answer.endsWith('of web'), names]).toEqual([true, []]);
    } finally {
      lookup.mockRestore();
      own.close();
      log.lines.length = 0;
    }
  },
);

test.each<[string, RequestListener, RegExp]>([
  ['ends the connection', (request) => request.socket.destroy(), /^HTTP\/1.1 503 .*web process does not answer/s],
  ['sends no HTTP', (request) => request.socket.end('no HTTP\r\n\r\n'), /^HTTP\/1.1 503 .*does not answer/s],
  ['has a status of its own', (request) => request.socket.end('HTTP/1.1 042 X\r\n\r\n'), /^HTTP\/1.1 50\d /],
  [
    'ends within its answer',
    (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    /half$/,
  ],
])('a web process that %s ends that probe alone', async (_name, answers, expected) => {
  answerOfWeb = answers;
  expect(await open(HEALTHZ.replace('healthz', 'metrics')).answer).toMatch(expected);
  expect(await statusOf(HEALTHZ)).toBe('HTTP/1.1 200 OK');
});

const isOpen = ({ closed }: Socket): boolean => !closed;

test('half requests beyond the bound make room, the oldest first; a complete one is always answered', async () => {
  const halves = Array.from({ length: PROBE_LIMITS.waiting }, () => open(HALF).socket);
  // At once with it come four times as many as may wait, all of them younger. The kernel queues 511.
  const answered = statusOf(HEALTHZ);
  const more = Array.from({ length: 4 * PROBE_LIMITS.waiting }, () => open(HALF).socket);
  expect(await answered).toBe('HTTP/1.1 200 OK');
  await until(() => [...halves, ...more].filter(isOpen).length <= PROBE_LIMITS.waiting);
  expect([...halves, ...more].map(isOpen).lastIndexOf(false)).toBe(more.length - 1);
  for (const socket of more) socket.destroy();
});

test('the address that holds the most makes room, and a half request of another one stays', async () => {
  const other = open(HALF, '127.0.0.2');
  const flood = Array.from({ length: 3 * PROBE_LIMITS.waiting }, () => open(HALF).socket);
  await until(() => flood.filter(isOpen).length < PROBE_LIMITS.waiting);
  other.socket.write('\r\n');
  expect(await other.answer).toMatch(/^HTTP\/1.1 200 /);
  for (const socket of flood) socket.destroy();
});

test('/healthz is answered while the web process answers nothing, however many wait for it', async () => {
  answerOfWeb = () => undefined;
  const readyz = HEALTHZ.replace('healthz', 'readyz');
  const waiting = Array.from({ length: PROBE_LIMITS.relayed }, () => open(readyz));
  await until(() => asked.length === PROBE_LIMITS.relayed);
  expect(await open(readyz).answer).toMatch(/^HTTP\/1.1 503 .*too many requests are on their way/s);
  expect(await statusOf(HEALTHZ)).toBe('HTTP/1.1 200 OK');
  for (const { socket } of waiting) socket.destroy();
  answerOfWeb = (_request, response) => void response.end('of web');
  await until(async () => /of web/.test(await open(readyz).answer));
});

test('a connection is answered once: requests behind the first are not', async () => {
  const answer = await open(HEALTHZ.repeat(1_000)).answer;
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(answer).toContain('Connection: close');
});

test('a half request is closed by itself', async () => {
  const impatient = new ProbePort({ ...options(), requestMs: 50 });
  expect(await open(HALF, '127.0.0.1', await impatient.listen()).answer).toBe('');
  impatient.close();
  log.lines.length = 0;
});

test('passes on what tells a forwarded request from one of this machine', async () => {
  const forwarding = 'Via: 1.1 x\r\nForwarded: for=x\r\nX-Real-IP: ::2\r\nX-Forwarded-For: ::3\r\nCookie: a=b\r\n';
  await open(`GET /metrics HTTP/1.1\r\nHost: a\r\n${forwarding}\r\n`).answer;
  const headers = { via: '1.1 x', forwarded: 'for=x', 'x-real-ip': '::2', 'x-forwarded-for': '::3' };
  expect(asked).toMatchObject([{ headers }]);
  expect(asked[0]?.headers).not.toHaveProperty('cookie');
});

test.each([
  ['an unknown path', 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ['no path', 'GET // HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['another method', HEALTHZ.replace('GET', 'POST'), 405],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['long headers', `${HALF}X: ${'a'.repeat(PROBE_LIMITS.headerBytes)}\r\n\r\n`, 431],
  ['a refusal of the web process', HEALTHZ.replace('healthz', 'metrics'), 401],
])('refuses %s with the security headers of an answer', async (_name, text, status) => {
  answerOfWeb = (_request, response) => void response.writeHead(401).end();
  const { answer } = open(text);
  expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(await answer).toContain('X-Content-Type-Options: nosniff\r\n');
  expect(await answer).toContain("Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n");
});

const status =
  (code: number): RequestListener =>
  (_request, response) =>
    void response.writeHead(code).end('{}');
const PATHS = ['/healthz', '/readyz', '/readyz?unready=404', '/readyz?role=ingest', '/readyz?role=ingest&unready=404'];

test.each<[IngestState, string, RequestListener, number[]]>([
  ['ok', 'is ready', status(200), [200, 200, 200, 200, 200]],
  ['ok', 'is not ready', status(503), [200, 503, 404, 200, 200]],
  ['ok', 'does not answer', () => undefined, [200, 503, 404, 200, 200]],
  ['draining', 'is not ready', status(503), [200, 503, 404, 503, 404]],
  ['no ingest process runs', 'is not ready', status(503), [200, 503, 404, 503, 404]],
  ['stopped', 'is ready', status(200), [503, 503, 503, 503, 503]],
])('a balancer tells a server that keeps its streams from one that serves none: ingest %s, web %s', async (...row) => {
  const [state, , web, expected] = row;
  ingest = state;
  answerOfWeb = web;
  const seen = PATHS.map((path) => statusOf(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
  expect(await Promise.all(seen)).toEqual(expected.map((code) => expect.stringContaining(`HTTP/1.1 ${code} `)));
});

test('/readyz of another role is that of the web process while ingest is stopped', async () => {
  ingest = 'stopped';
  expect(await statusOf('GET /readyz?role=web HTTP/1.1\r\nHost: a\r\n\r\n')).toContain(' 200 ');
});
