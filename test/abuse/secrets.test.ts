/**
 * A full session at debug level: none of its secrets is in a log, an error response, a listing or a command line, and memory
 * holds after it only what a setting names.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { standardSecret, webhookSecret } from '../../src/config/key-secret.js';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { FeedClient } from '../support/feed-client.js';
import { INSPECTABLE, runInside } from '../support/inspected.js';
import { makeMedia } from '../support/media-files.js';
import { Publisher } from '../support/publisher.js';
import { RawClient } from '../support/raw-client.js';
import { RedisServer } from '../support/redis-server.js';
import { fetchStatus } from '../support/sockets.js';
import { synthStream } from '../support/synth-stream.js';

const PASSWORD = 'redis-pass-5f1c9ab27d';
const KEY_SECRET = 'pZ5kD8rXw2QnB7vM4tLc9HyS3gJf6Ua1';
const HOOK_SECRET = 'hook-query-77b1c0';
const APP_SECRET = 'app-secret-6b6e1d0c8f24';
const STORAGE_SECRET = 'storage-secret-90ad3e51';

/** Settings stay in the environment and the memory of each process that parses them. */
const SETTINGS = ['Redis password', 'key secret', 'webhook address', 'app secret', 'storage secret'];

/** The rows of docs/security.md. */
const ROWS = [
  'server key',
  'stream key',
  'access token',
  'sign-in link',
  'session',
  'wall link',
  'dock link',
  'link to a report',
  'link to a file',
  'TLS key',
  'app secret',
  'webhook signature key',
  'webhook address',
  'Redis password',
  'object storage credentials',
];

let redis: RedisServer;
let hook: Server;
let airlock: Airlock;
const deliveries: string[] = [];

beforeAll(async () => {
  deliveries.length = 0;
  redis = await RedisServer.start({ arguments: ['--requirepass', PASSWORD] });
  hook = createServer((request, response) => {
    deliveries.push(String(request.headers['x-hub-signature-256']));
    request.resume();
    // Fails at first, so that retries are logged.
    response.writeHead(deliveries.length < 3 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  airlock = await Airlock.start({
    ...INSPECTABLE,
    AIRLOCK_MEDIA_IDLE_S: '0',
    AIRLOCK_APP_ID: '1',
    AIRLOCK_APP_SECRET: APP_SECRET,
    AWS_SECRET_ACCESS_KEY: STORAGE_SECRET,
    AIRLOCK_LOG_LEVEL: 'debug',
    AIRLOCK_KEY_SECRET: KEY_SECRET,
    AIRLOCK_RTMP_PORT: '0',
    REDIS_URL: redis.url.replace('redis://', `redis://:${PASSWORD}@`),
    AIRLOCK_WEBHOOK_URL: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook?token=${HOOK_SECRET}`,
  });
});
afterAll(async () => {
  await airlock.stop();
  await redis.stop();
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
});

test('writes no secret of a full session to logs, errors, listings or `ps`, and keeps those of settings alone in memory', async () => {
  const { access_token: token, stream_key: pageKey, page_id: page } = airlock.quickstart;
  const secrets = new Map<string, string>([
    ['Redis password', PASSWORD],
    ['key secret', KEY_SECRET],
    ['webhook address', HOOK_SECRET],
    ['webhook secret', webhookSecret(Buffer.from(KEY_SECRET))],
    [
      'webhook secret of Standard Webhooks',
      standardSecret(webhookSecret(Buffer.from(KEY_SECRET))).slice('whsec_'.length),
    ],
    ['access token', token],
    ['persistent key', pageKey.slice(-32)],
    ['app secret', APP_SECRET],
    ['storage secret', STORAGE_SECRET],
    ['dock link', airlock.quickstart.dock_url.split('.').at(-1) ?? ''],
  ]);
  const private_ = readFileSync(join(airlock.folder, 'certs', 'server.key'), 'utf8').split('\n')[3];
  secrets.set('private key', private_ ?? '');
  secrets.set('sign-in link', airlock.quickstart.sign_in_url.slice(-43));
  /** All output that must not contain secrets. */
  const said: string[] = [];
  const hear = async (method: string, path: string, params: Record<string, string> = {}, as: string | null = token) => {
    const { status, body } = await airlock.request(method, path, params, as ?? '');
    said.push(`${method} ${path} ${status} ${JSON.stringify(body)}`);
    return body;
  };

  // Administration: tokens and listings.
  const cli = async (...args: string[]) => {
    const run = await runCli([...args, '--format', 'json'], {
      env: { AIRLOCK_DATA_DIR: join(airlock.folder, 'data'), AIRLOCK_KEY_SECRET: KEY_SECRET },
    });
    said.push(run.stderr);
    return run;
  };
  const issued = JSON.parse((await cli('token', 'issue', page, '--scopes', 'all', '--label', 'session')).stdout);
  secrets.set('issued token', issued.token ?? issued.access_token);
  secrets.set('issued sign-in link', JSON.parse((await cli('sign-in')).stdout).sign_in_url.slice(-43));
  const data = `${airlock.quickstart.http_url}/dashboard/data`;
  const bearer = (of: string) => ({ authorization: `Bearer ${of}` });
  const wall = await fetch(`${data}/wall-links`, { method: 'POST', headers: bearer(token) });
  const wallToken = ((await wall.json()) as { path: string }).path.split('#')[1] ?? '';
  secrets.set('wall link', wallToken);
  expect((await fetch(`${data}/viewer`, { headers: bearer(wallToken) })).status).toBe(200);
  const { origin } = new URL(airlock.quickstart.http_url);
  const asPage = { 'X-Airlock-Page': '1', origin };
  const begun = await fetch(`${origin}/dashboard/session`, {
    method: 'POST',
    headers: { ...asPage, ...bearer(token) },
  });
  const [, cookieName = '', cookie = ''] = /^([\w-]+)=([\w-]{43});/.exec(begun.headers.get('set-cookie') ?? '') ?? [];
  secrets.set('session', cookie);
  said.push(await begun.text());
  for (const [value, status] of [
    [cookie, 200],
    [`${cookie.slice(0, -3)}zzz`, 401],
  ] as const) {
    const answer = await fetch(`${origin}/dashboard/api/me`, {
      headers: { ...asPage, cookie: `${cookieName}=${value}` },
    });
    expect(answer.status).toBe(status);
    said.push(await answer.text());
  }
  for (const args of [
    ['token', 'list'],
    ['owner', 'list'],
    ['live', 'list'],
    ['token', 'revoke', 'nonsense'],
  ]) {
    said.push((await cli(...args)).stdout);
  }

  // Publishing: correctly, with a wrong key, and with the correct key in a wrong place.
  const live = await airlock.createLive();
  secrets.set('stream key', live.key.slice(-32));
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(synthStream({ durationMs: 2_500, channels: 1 }));
  await publisher.status('NetStream.Publish.Violation');
  const visible = processes();
  const almost = `${live.key.slice(0, -3)}aaa`;
  secrets.set('almost the stream key', almost.slice(-32, -3));
  for (const [name, app] of [
    [almost, 'live'],
    ['', `live/${live.key}`],
    [`${live.key}?token=${token}`, 'live'],
    [`nonsense/${live.key}`, 'x'],
    [token, 'live'],
  ] as const) {
    const other = await Publisher.open(airlock, name, app);
    said.push(JSON.stringify(other.statuses));
    other.cut();
  }
  const broken = await RawClient.open(airlock);
  broken.command(0, 'connect', 1, {
    app: `live/${live.key}`,
    tcUrl: `rtmps://user:${live.key}@localhost/${live.key}?access_token=${token}`,
  });
  broken.command(0, 'FCPublish', 2, null, live.key);
  broken.socket.write(Buffer.alloc(4_000, 0xff));
  await broken.closed;
  await publisher.stop();

  // Reading, also with tokens and keys in wrong places.
  const wrong = `${token.slice(0, -6)}zzzzzz`;
  secrets.set('almost the token', wrong.slice(0, -6));
  await hear('GET', `/${live.id}`, { fields: 'id,status,title,errors,video' });
  await hear('GET', `/${live.id}/errors`);
  await hear('GET', `/${page}/live_videos`, { fields: 'id,status,title' });
  await hear('GET', `/${live.id}`, { fields: `nonsense_${token}` }, null);
  await hear('GET', '/me', {}, wrong);
  await hear('GET', '/me', { access_token: wrong }, null);
  await hear('POST', `/${page}/live_videos`, { access_token: token, status: 'NONSENSE' }, null);
  // The response repeats the path; the log must not.
  await airlock.request('GET', `/${live.key}`);
  await hear('POST', `/${live.id}`, { end_live_video: 'perhaps' });
  await hear('GET', `/debug_token`, { input_token: issued.token ?? '' });
  const exchange = { grant_type: 'fb_exchange_token', client_id: '1', client_secret: APP_SECRET };
  const { access_token: exchanged } = await airlock.get('/oauth/access_token', {
    ...exchange,
    fb_exchange_token: token,
  });
  secrets.set('exchanged token', exchanged);
  await hear('GET', '/me', {}, exchanged);
  said.push(await (await fetch(new URL(`/metrics`, airlock.quickstart.http_url))).text());
  said.push(await (await fetch(new URL(`/readyz?access_token=${token}`, airlock.quickstart.http_url))).text());

  // The live feed, a refused upload, an accepted upload, and the end of the broadcast.
  const feed = await FeedClient.open(`${airlock.quickstart.http_url.replace('http', 'ws')}/live`, {
    type: 'subscribe',
    token,
  });
  await feed.next('synced');
  said.push(JSON.stringify(feed.messages));
  await feed.close();
  const bad = await FeedClient.open(`${airlock.quickstart.http_url.replace('http', 'ws')}/live?token=${token}`, {
    type: 'subscribe',
    token: wrong,
  });
  said.push(JSON.stringify([bad.messages, await bad.closed]));
  await hear('POST', `/${page}/videos`, { file_url: `http://user:${PASSWORD}@127.0.0.1/` });
  const form = new FormData();
  form.set('access_token', token);
  form.set('source', new Blob([readFileSync(movie())]), 'movie.mp4');
  const upload = (await (
    await fetch(new URL(`/${page}/videos`, airlock.quickstart.http_url), { method: 'POST', body: form })
  ).json()) as { id: string };
  await airlock.until(
    () => airlock.get(`/${upload.id}`, { fields: 'status' }),
    (body) => body.status?.video_status === 'ready',
  );
  const { path: report } = await airlock.post(`/dashboard/data/report-links/${live.id}`);
  expect(await fetchStatus(new URL(report, airlock.quickstart.http_url))).toBe(200);
  secrets.set('link to a report', report.split('/').at(-1));
  const { source } = await airlock.get(`/${upload.id}`, { fields: 'source' });
  expect(await fetchStatus(source)).toBe(200);
  secrets.set('link to a file', new URL(source).search.slice(-20));
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'VOD',
  );
  await airlock.until(
    async () => deliveries.length,
    (count) => count > 3,
  );
  visible.push(...processes());
  const heaps = await heapsOf(airlock);
  await redis.kill();
  await hear('GET', `/${live.id}`);
  await redis.restart();
  await airlock.until(
    () => airlock.request('GET', `/${page}`),
    (answer) => answer.status !== 500,
  );
  await airlock.kill('SIGTERM');

  expect(airlock.log.length).toBeGreaterThan(5_000);
  expect(airlock.log).toContain('"level":"debug"');
  for (const [name, secret] of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    const lines = [...airlock.log.split('\n'), ...said].filter((line) => line.includes(secret));
    expect([name, lines.map((line) => line.slice(0, 300))]).toEqual([name, []]);
    expect([name, visible.filter(({ argv }) => argv.includes(secret))]).toEqual([name, []]);
    const inEnvironment = visible.some(({ environ }) => environ.includes(secret));
    expect([name, inEnvironment]).toEqual([name, SETTINGS.includes(name)]);
  }
  const rolesWith = (secret: string) => [...heaps].filter(([, heap]) => heap.includes(secret)).map(([role]) => role);
  const kept = [...secrets].filter(([name, secret]) => !SETTINGS.includes(name) && rolesWith(secret).length > 0);
  expect(kept.map(([name, secret]) => [name, ...rolesWith(secret)])).toEqual([['private key', 'ingest']]);
  // Each heap is whole: it holds what it must.
  for (const [role, heap] of heaps) expect([role, heap.includes(KEY_SECRET)]).toEqual([role, true]);
});

test('each secret of the table in docs/security.md is searched for', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const [, table = ''] = /^## Secrets\n\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const rows = table.split('\n').slice(2, -1);
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(ROWS);
  for (const row of rows)
    expect(
      row
        .split('|')
        .slice(1, -1)
        .filter((cell) => cell.trim() !== ''),
    ).toHaveLength(5);
});

interface Visible {
  readonly argv: string;
  readonly environ: string;
}

/** What `ps` shows of each process to its user. A short-lived one may end before it is read. */
function processes(): Visible[] {
  return airlock.pids.flatMap((pid) => {
    try {
      const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
      return [{ argv: read('cmdline'), environ: read('environ') }];
    } catch {
      return [];
    }
  });
}

/** Snapshots of all objects that a collection leaves, by role, with whole texts. */
async function heapsOf({ pid, folder }: Airlock): Promise<Map<string, string>> {
  const heaps = new Map<string, string>();
  const pids = {
    supervisor: pid,
    ingest: airlock.pidOf('ingest'),
    web: airlock.pidOf('web'),
    media: airlock.pidOf('media'),
  };
  for (const [role, of] of Object.entries(pids)) {
    const path = join(folder, `${role}.heapsnapshot`);
    await runInside(
      airlock,
      of,
      `const [v8, fs] = ['node:v8', 'node:fs'].map((name) => process.getBuiltinModule(name));
       v8.setFlagsFromString('--heap-snapshot-string-limit=1000000');
       v8.writeHeapSnapshot('${path}.part');
       fs.renameSync('${path}.part', '${path}');`,
    );
    await airlock.until(
      async () => existsSync(path),
      (isWritten) => isWritten,
    );
    heaps.set(role, readFileSync(path, 'latin1'));
    rmSync(path);
  }
  return heaps;
}

function movie(): string {
  return makeMedia(join(airlock.folder, 'movie.mp4'));
}
