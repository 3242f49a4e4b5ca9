/** Requests that are no requests, on every HTTP port of a real server, and a role whose messages are no messages: no process ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminSocketPath } from '../../src/config/data-folder.js';
import { Airlock } from '../support/airlock.js';
import { closeOf } from '../support/sockets.js';

/** Loaded by every process: on SIGUSR1 the media process writes to its channel what is no message. */
const PRELOAD = `
import { writeSync } from 'node:fs';
if (process.env.AIRLOCK_ROLE === 'media') {
  const CHANNEL = 3;
  process.on('SIGUSR1', () => {
    for (const line of ['null', '7', '[]', '{"type":"failed"}', '{"type":"order","order":"x"}', '{"cmd":"NODE_HANDLE"}', 'no JSON'])
      writeSync(CHANNEL, line + '\\n');
  });
}
`;

let folder: string;
let airlock: Airlock;
let probePort: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-requests-'));
  const preload = join(folder, 'preload.mjs');
  writeFileSync(preload, PRELOAD);
  airlock = await Airlock.start({
    AIRLOCK_PROBE_PORT: '0',
    AIRLOCK_LOG_LEVEL: 'info',
    AIRLOCK_MEDIA_IDLE_S: '0',
    NODE_OPTIONS: `--import ${preload}`,
  });
  probePort = Number(/"port":(\d+),"msg":"probes are answered"/.exec(airlock.log)?.[1]);
});
afterAll(async () => {
  await airlock.stop();
  rmSync(folder, { recursive: true });
});

type At = { readonly port: number; readonly host: string } | { readonly path: string };
const PLACES: readonly (readonly [string, () => At])[] = [
  ['the probe port', () => ({ port: probePort, host: '127.0.0.1' })],
  ['the HTTP port', () => ({ port: airlock.quickstart.http_port, host: '127.0.0.1' })],
  ['the administration socket', () => ({ path: adminSocketPath({ dataDir: join(airlock.folder, 'data') }) })],
];

/** Resolves with what came until the connection closed. */
async function ask(at: At, bytes: string | Buffer): Promise<string> {
  const socket: Socket = connect(at);
  let answer = '';
  socket.on('error', () => undefined);
  socket.on('data', (part: Buffer) => {
    answer += part.toString('latin1');
  });
  socket.end(bytes);
  await closeOf(socket);
  return answer;
}

const TARGETS = [
  '//',
  '///',
  '/\\',
  '*',
  'http://',
  'http://[',
  'http://a:b/',
  '//a@b:c',
  '?',
  '/%',
  '/%zz',
  '/%c0%af',
];
const PATHS = ['/healthz', '/readyz', '/metrics', '/files/', '/playback/1', '/dashboard/', '/embed/', '/live', '/me'];
const GARBAGE: readonly (string | Buffer)[] = [
  ...[...TARGETS, ...PATHS.flatMap((path) => TARGETS.map((target) => path + target))].flatMap((target) => [
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  ]),
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'POST // HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  'POST /me HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: \xff\x80\r\nX-Forwarded-For: [\r\nExpect: x\r\nConnection: close\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
  `GET /${'%'.repeat(10_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n',
  Buffer.alloc(70_000),
  Buffer.from('16030100a5010000a10303', 'hex'),
];

const processes = () => [
  airlock.pid,
  ...(['store', 'ingest', 'web', 'media'] as const).map((role) => airlock.pidOf(role)),
];

test.each(PLACES)('garbage on %s ends its own connections alone', async (_name, at) => {
  const before = processes();
  for (const bytes of GARBAGE) {
    expect(await ask(at(), typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)).toMatch(
      /^$|^HTTP\/1\.1 /,
    );
  }
  expect(processes()).toEqual(before);
  expect((await fetch(`http://127.0.0.1:${probePort}/healthz`)).status).toBe(200);
  expect((await airlock.get(`/${airlock.quickstart.page_id}`)).id).toBe(airlock.quickstart.page_id);
});

test.each(['//', '*', 'http://[', '/healthz%zz'])('the probe port says 400 to %s', async (target) => {
  const at = { port: probePort, host: '127.0.0.1' };
  expect(await ask(at, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 .*"bad request"/s);
});

test('/healthz is answered at once beside 64 half requests', async () => {
  const at = { port: probePort, host: '127.0.0.1' };
  const halves = Array.from({ length: 64 }, () => connect(at).on('error', () => undefined));
  for (const socket of halves) socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ask(at, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')),
  );
  expect(answers.map((answer) => answer.split('\r\n', 1)[0])).toEqual(Array(8).fill('HTTP/1.1 200 OK'));
  for (const socket of halves) socket.destroy();
});

test('the probe port listens on loopback unless a setting opens it', async () => {
  const socket = connect({ port: probePort, host: '127.0.0.2' });
  const error = await new Promise((resolve) => socket.once('error', resolve).once('connect', () => resolve('open')));
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

test('the supervisor outlives a role that sends it no messages but garbage', async () => {
  process.kill(airlock.pidOf('media'), 'SIGUSR1');
  await airlock.until(
    async () => airlock.log,
    (log) => log.includes('the supervisor goes on after an error'),
  );
  await airlock.until(
    async () => (await fetch(`http://127.0.0.1:${probePort}/readyz?role=media`)).status,
    (status) => status === 200,
  );
});
