// node bench/strangers.mjs [--requests 400] [--gate] [--only /docs]
// CPU of the web process for each request of a client without a token, over kept connections in plain HTTP: no TLS handshake.
// With --gate the exit code is 1 when a route costs more than the goal: 2 ms, and 15 for each MB of body.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { cpuSeconds, family, titleOf } from './lib/measure.mjs';
import { ROOT, serverFolder, startAirlock, stop } from './lib/server.mjs';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '400' },
    only: { type: 'string', default: '' },
    gate: { type: 'boolean', default: false },
  },
});
const GOAL_MS = 2;
/** More for a large body, which is read before it can name a token. */
const GOAL_MS_PER_MB = 15;
const CONNECTIONS = 8;
const WARM_UP = 200;
const WRONG = 'x'.repeat(40);
const OWN_PAGE = { 'x-airlock-page': '1' };
const JSON_TYPE = { 'content-type': 'application/json' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=b' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** What OBS posts, with a key that is not there. */
const goLive = (key) =>
  JSON.stringify({
    authentication: key,
    capabilities: { cpu: {}, gpu: null, memory: {}, system: { name: 'Linux' } },
    client: { name: 'obs-studio', supported_codecs: ['h264'], version: '30.2.3' },
    preferences: {
      canvas_width: 1280,
      canvas_height: 720,
      width: 1280,
      height: 720,
      framerate: { numerator: 30, denominator: 1 },
    },
    schema_version: '2024-06-04',
    service: 'IVS',
  });

const batchOf = (token, url) => {
  const batch = JSON.stringify(Array.from({ length: 50 }, () => ({ method: 'GET', relative_url: url })));
  return new URLSearchParams({ ...(token ? { access_token: token } : {}), batch }).toString();
};

const get = (path, headers = {}) => ({ name: `GET ${path}`, method: 'GET', path, headers });
const post = (path, body, headers = FORM) => ({ name: `POST ${path}`, method: 'POST', path, body, headers });
const named = (name, ask) => ({ ...ask, name });

/** All that answers without a token, with the largest answers and the dearest refusals of each kind. */
function routes({ live_video_id: live, page_id: page }, video) {
  const assets = readdirSync(join(ROOT, 'dist', 'dashboard', 'web', 'assets')).map(
    (name) => `/dashboard/assets/${name}`,
  );
  const gzip = { 'accept-encoding': 'gzip, deflate, br' };
  const nested = 'live_videos.limit(100){from{live_videos.limit(100){errors.limit(100)}}}';
  const fieldsOf = (count) => Array.from({ length: count }, (_each, n) => `title.as(b${n})`).join(',');
  const edges = Array.from({ length: 240 }, (_each, n) => `live_videos.limit(9).as(c${n}){errors{id}}`).join(',');
  const ids = Array.from({ length: 50 }, (_each, n) => n + 1).join(',');
  const many = Array.from({ length: 400 }, (_each, n) => `title.as(a${n})`).join(',');
  return [
    get('/healthz'),
    get('/readyz'),
    get('/readyz?role=media'),
    get('/openapi.json'),
    named('GET /openapi.json, compressed', get('/openapi.json', gzip)),
    get('/docs/'),
    get('/dashboard/'),
    get('/dock/'),
    get('/try'),
    get('/favicon.ico'),
    ...assets.map((path) => get(path, gzip)),
    ...assets.slice(0, 3).map((path) => named(`GET ${path}, not compressed`, get(path))),
    named('GET / by a browser', get('/', { accept: 'text/html' })),
    named('GET / by a program', get('/', { accept: 'application/json' })),
    get('/dashboard/no-such-page'),
    get('/no/such/path'),
    get(`/${'deep/'.repeat(200)}`),
    named('GET /?… with 1,000 parameters', get(`/?${Array.from({ length: 1000 }, (_each, n) => `a${n}=1`).join('&')}`)),
    named('OPTIONS, preflight', { method: 'OPTIONS', path: `/${live}`, headers: { origin: 'https://example.org' } }),
    named('PUT', { method: 'PUT', path: `/${live}`, headers: {} }),
    get(`/${live}`),
    get('/1'),
    get(`/${page}/live_videos`),
    named('GET with a wrong token', get(`/${live}?access_token=${WRONG}`)),
    named('GET with a wrong token in the header', get(`/${live}`, { authorization: `Bearer ${WRONG}` })),
    named('GET of 400 fields', get(`/${live}?fields=${many}`)),
    named('GET of 1,000 fields, others each time', get(`/${live}?fields=aUNIQUE,${fieldsOf(1000)}`)),
    named('GET of 400 fields, others each time', get(`/${live}?fields=aUNIQUE,${fieldsOf(400)}`)),
    named('GET of an edge with 240 edges, others each time', get(`/${page}/live_videos?fields=aUNIQUE,${edges}`)),
    named('GET of 50 ids with 240 edges, others each time', get(`/?ids=${ids}&fields=aUNIQUE,${edges}`)),
    named('GET of nested edges', get(`/${page}?fields=${nested}`)),
    named('GET of nested edges, wrong token', get(`/${page}?access_token=${WRONG}&fields=${nested}`)),
    named('GET of 50 ids', get(`/?ids=${ids}`)),
    named('POST without a token', post(`/${page}/live_videos`, 'title=x&status=LIVE_NOW')),
    named('DELETE without a token', { method: 'DELETE', path: `/${live}`, headers: {} }),
    named('POST / batch of 50 without a token', post('/', batchOf(undefined, `${live}?fields=${nested}`))),
    named('POST / batch of 50, wrong token', post('/', batchOf(WRONG, `${live}?fields=${nested}`))),
    named('POST, JSON that is not', post('/', `{"batch":[${'['.repeat(200)}`, JSON_TYPE)),
    named('POST, a form of 1,000 parameters', post(`/${page}/videos`, fieldsForm(1000, 1))),
    named('POST, a form of 1 MB', post(`/${page}/videos`, fieldsForm(1000, 1000))),
    named('POST, JSON of 64 KB', post(`/${page}/videos`, jsonOf(16_000), JSON_TYPE)),
    named('POST, JSON of 1 MB', post(`/${page}/videos`, jsonOf(250_000), JSON_TYPE)),
    named('POST, a multipart form of 100 parts', post(`/${page}/videos`, multipart(100), MULTIPART)),
    named('POST, a multipart form of 1,000 parts', post(`/${page}/videos`, multipart(1000), MULTIPART)),
    get(
      `/oauth/access_token?grant_type=fb_exchange_token&client_id=1&client_secret=${WRONG}&fb_exchange_token=${WRONG}`,
    ),
    post('/oauth/access_token', `grant_type=client_credentials&client_id=1&client_secret=${WRONG}`),
    get(`/debug_token?input_token=${WRONG}`),
    get('/video_encoder_settings'),
    named('POST /obs/go-live, a wrong key', post('/obs/go-live', goLive(`${live}-${WRONG}`), JSON_TYPE)),
    named('POST /obs/go-live, an unknown id', post('/obs/go-live', goLive(`123-${WRONG}`), JSON_TYPE)),
    named('POST /obs/go-live, not of OBS', post('/obs/go-live', '{}', JSON_TYPE)),
    get('/obs/go-live'),
    named('GET /metrics, through a proxy', get('/metrics', { via: '1.1 proxy' })),
    named('GET /metrics, from this machine', get('/metrics')),
    named('GET /files/…, a wrong link', get(`/files/videos/${video}/source.mp4?expires=9999999999&signature=${WRONG}`)),
    get(`/embed/${video}`),
    get('/embed/1'),
    named('GET /{page-id}/videos/{video-id} by a browser', get(`/${page}/videos/${video}`, { accept: 'text/html' })),
    named('GET /playback/….flv, no ticket', get(`/playback/${live}.flv`)),
    named('GET /playback/….flv, a wrong ticket', get(`/playback/${live}.flv?ticket=${WRONG}`)),
    named('GET /playback/…/index.m3u8, a wrong ticket', get(`/playback/${live}/index.m3u8?ticket=${WRONG}`)),
    named('GET /report/…, a wrong link', get(`/report/${WRONG}`)),
    get('/dashboard/data/viewer'),
    named(
      'GET /dashboard/data/broadcasts, wrong token',
      get('/dashboard/data/broadcasts', { authorization: `Bearer ${WRONG}` }),
    ),
    named(
      'POST /dashboard/session, a wrong code',
      post('/dashboard/session', '', {
        ...OWN_PAGE,
        origin: quickstart.http_url,
        authorization: `SignIn ${WRONG}`,
      }),
    ),
    named(
      'GET /dashboard/api/me, a wrong cookie',
      get('/dashboard/api/me', {
        ...OWN_PAGE,
        cookie: `airlock-session-${new URL(quickstart.http_url).port}=${'A'.repeat(43)}`,
      }),
    ),
    named('GET /dashboard/feed, no upgrade', get('/dashboard/feed')),
  ];
}

const fieldsForm = (count, length) =>
  new URLSearchParams(Array.from({ length: count }, (_each, n) => [`a${n}`, 'x'.repeat(length)])).toString();

const jsonOf = (values) => JSON.stringify({ a: Array.from({ length: values }, () => [1]) });

function multipart(count) {
  const parts = Array.from(
    { length: count },
    (_each, n) => `--b\r\ncontent-disposition: form-data; name="a${n}"\r\n\r\n1\r\n`,
  );
  return `${parts.join('')}--b--\r\n`;
}

const folder = serverFolder();
const { child, quickstart } = await startAirlock(folder);
const web = family(child.pid).find((pid) => titleOf(pid).includes('airlock-web'));
const pool = new Pool(quickstart.http_url, { connections: CONNECTIONS, pipelining: 1 });
const { live_video_id: live, access_token: token } = quickstart;

let asked = 0;

/** Resolves with the statuses; those that a limit refused would not count. */
async function ask(route, count) {
  const statuses = new Set();
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const { method, path, headers, body } = route;
      const own = path.replace('UNIQUE', String(asked++));
      const answer = await pool.request({ method, path: own, headers, body });
      statuses.add(answer.statusCode);
      await answer.body.dump({ limit: 64 * 1024 * 1024 });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return [...statuses].sort().join(' ');
}

try {
  const described = await fetch(`${quickstart.http_url}/${live}?fields=video&access_token=${token}`);
  const video = (await described.json()).video.id;
  const wanted = Number(options.requests);
  const rows = [];
  for (const route of routes(quickstart, video)) {
    if (!route.name.includes(options.only)) continue;
    await ask(route, WARM_UP);
    const before = cpuSeconds(web);
    const statuses = await ask(route, wanted);
    const cpuMs = ((cpuSeconds(web) - before) / wanted) * 1000;
    rows.push({
      route: route.name.length > 70 ? `${route.name.slice(0, 67)}...` : route.name,
      answers: statuses,
      cpuMs,
      goalMs: GOAL_MS + (GOAL_MS_PER_MB * (route.body?.length ?? 0)) / 1e6,
    });
  }
  rows.sort((a, b) => b.cpuMs - a.cpuMs);
  console.log(`CPU of the web process a request, ${wanted} requests each, the goal is ${GOAL_MS} ms`);
  console.table(rows.map(({ cpuMs, goalMs: _, ...row }) => ({ ...row, 'CPU ms': cpuMs.toFixed(2) })));
  const slow = rows.filter(({ cpuMs, goalMs }) => cpuMs > goalMs);
  console.log(
    slow.length === 0 ? 'no route is over the goal' : `over the goal: ${slow.map(({ route }) => route).join(', ')}`,
  );
  if (options.gate && slow.length > 0) process.exitCode = 1;
} finally {
  await pool.close();
  await stop(child);
  folder.remove();
}
