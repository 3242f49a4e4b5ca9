/** Slow, huge, deeply nested and malformed HTTP requests are answered or closed, and no broadcast is affected. */

import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { HTTP_LIMITS, HttpListener } from '../../src/server/http/listener.js';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectStillUntouched, expectUntouched } from '../support/bystander.js';
import { namesBelow } from '../support/folders.js';
import { watchMemory } from '../support/process-memory.js';
import { closeOf } from '../support/sockets.js';

let airlock: Airlock;
/** Publishes beside all tests. */
let bystander: Bystander;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
  bystander = await Bystander.start(airlock);
});
afterAll(async () => {
  await expectUntouched(bystander).finally(() => airlock.stop());
});
afterEach(() => expectStillUntouched(bystander));

/** `gone` resolves with the first line of the answer, if there was one. */
function open(text: string, from = '127.0.0.1'): { socket: Socket; gone: Promise<string> } {
  const socket = connect({ port: airlock.quickstart.http_port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  if (text !== '') socket.write(text);
  return { socket, gone: closeOf(socket).then(() => answer.split('\r\n', 1)[0] ?? '') };
}

/** Sends `text` byte for byte; resolves with the status line. */
const raw = async (text: string): Promise<string> => (await rawAnswer(text)).split('\r\n', 1)[0] ?? '';

/** `isHeld`: the client waits for the server to close. */
async function rawAnswer(text: string, isHeld = false): Promise<string> {
  const socket = connect(airlock.quickstart.http_port, '127.0.0.1');
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  if (isHeld) socket.write(text);
  else socket.end(text);
  await closeOf(socket);
  return answer;
}

/** Status and security headers of a refusal, as bytes. */
function refusalOf(answer: string): object {
  const [head = ''] = answer.split('\r\n\r\n', 1);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
  return {
    status: Number(head.split(' ')[1]),
    nosniff: header('X-Content-Type-Options'),
    policy: header('Content-Security-Policy'),
  };
}

const refused = (status: number) => ({
  status,
  nosniff: 'nosniff',
  policy: expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
});

test('sends every refusal with the security headers of an answer', async () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
  const post = (path: string) => get(path).replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 0\r\n\r\n');
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const requests: readonly (readonly [number, string])[] = [
    [400, 'GARBAGE\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\n\r\n'],
    [417, get('/me', 'Expect: 200-maybe\r\n')],
    [414, get(`/${'a'.repeat(20_000)}`)],
    [431, get('/', `X-Long: ${'a'.repeat(20_000)}\r\n`)],
    [404, get('/nowhere', upgrade)],
    [400, get('/live', upgrade)],
    [405, get('/live', upgrade).replace('GET', 'POST')],
    [403, get('/playback/1.flv', `${upgrade}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'a'.repeat(22)}==\r\n`)],
    [400, get('/me')],
    [401, get('/me?access_token=x')],
    [404, get('/files/videos/1/source.mp4')],
    [405, post('/files/videos/1/source.mp4')],
    [404, get('/dashboard/data/none')],
    [401, get('/dashboard/data/viewer')],
    [404, get('/report/1/x/y')],
    [405, post('/report/1/x/y')],
    [404, get('/dashboard/none.js')],
    [405, post('/dashboard/')],
    [404, get('/docs/none.js')],
    [403, get('/playback/1.flv')],
    [404, get('/playback/none')],
    [401, get('/metrics', 'Via: 1.1 proxy\r\n')],
    [405, post('/metrics')],
    [503, get('/readyz?role=none')],
    [400, get('/embed/%zz')],
    [405, get('/obs/go-live')],
  ];
  const answers = await Promise.all(
    requests.map(async ([, text]) => [text.slice(0, 60), refusalOf(await rawAnswer(text, true))]),
  );
  expect(answers).toEqual(requests.map(([status, text]) => [text.slice(0, 60), refused(status)]));
});

test('closes hundreds of slow-header connections and holds slow bodies in little memory while serving requests', async () => {
  const memory = watchMemory(airlock.pid);
  const { page_id: page, access_token: token } = airlock.quickstart;
  const headers = Array.from({ length: 200 }, () => open('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  // As browsers open them ahead of requests. They repeat a request that is answered by 408, and show a page of a 400.
  const silent = open('');
  const form = `POST /${page}/live_videos?access_token=${token} HTTP/1.1\r\nHost: x\r\nContent-Type: `;
  // From several addresses, since concurrent bodies are limited per address.
  const fifty = (from: string, text: string) => Array.from({ length: 50 }, () => open(text, from));
  const whole = `${form}text/plain\r\nContent-Length: 100000\r\n\r\ntitle=`;
  const chunked = `${form}text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ntitle\r\n`;
  const video = `${form.replace('live_videos', 'videos')}multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n--b\r\n`;
  const bodies = [
    ...fifty('127.0.0.2', whole),
    ...fifty('127.0.0.3', whole),
    ...fifty('127.0.0.4', chunked),
    ...fifty('127.0.0.5', chunked),
    ...fifty('127.0.0.6', video),
  ];
  const all = [...headers, ...bodies];
  const drip = setInterval(() => {
    for (const { socket } of all) if (socket.writable) socket.write('a');
  }, 2_000);
  const answers = await Promise.all([silent, ...headers].map(({ gone }) => gone));
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
  expect((await airlock.request('GET', '/healthz')).status).toBe(200);
  clearInterval(drip);
  for (const { socket } of bodies) socket.destroy();
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(80);
});

test('closes a connection with thousands of pipelined requests; answers pipelined requests within the limit', async () => {
  const { page_id: page, access_token: token } = airlock.quickstart;
  const request = (path: string, last = false) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const dear = request(`/${page}/live_videos?fields=errors,ingest_streams,video&limit=100`);
  const greedy = Array.from({ length: 6 }, () => {
    const socket = connect(airlock.quickstart.http_port, '127.0.0.1');
    socket.on('error', () => undefined);
    let answers = 0;
    socket.on('data', (bytes: Buffer) => {
      answers += bytes.toString('latin1').split('HTTP/1.1 200').length - 1;
    });
    socket.write(dear.repeat(5_000));
    return closeOf(socket).then(() => answers);
  });
  for (const answers of await Promise.all(greedy)) expect(answers).toBeLessThan(5_000);

  const socket = connect(airlock.quickstart.http_port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  const [first, second] = [request(`/${page}?fields=id`), request('/healthz', true)];
  socket.write(first.repeat(HTTP_LIMITS.pipelined - 1) + second);
  await closeOf(socket);
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(HTTP_LIMITS.pipelined);
});

test('limits concurrent requests per connection; each finished request frees a slot', async () => {
  const listener = new HttpListener();
  const waiting: (() => void)[] = [];
  let taken = 0;
  listener.serve((_request, response) => {
    taken += 1;
    waiting.push(() => response.end('taken'));
  });
  const port = await listener.listen(0, '127.0.0.1');
  const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let answers = 0;
  const heard = (count: number) =>
    new Promise<void>((resolve) => {
      socket.on('data', (bytes: Buffer) => {
        answers += bytes.toString().split('taken').length - 1;
        if (answers >= count) resolve();
      });
    });
  const bursts = 4;
  for (let burst = 1; burst <= bursts; burst++) {
    const all = heard(burst * HTTP_LIMITS.pipelined);
    socket.write(request.repeat(HTTP_LIMITS.pipelined));
    await airlock.until(
      async () => taken,
      (count) => count === burst * HTTP_LIMITS.pipelined,
    );
    for (const answer of waiting.splice(0)) answer();
    await all;
    socket.removeAllListeners('data');
  }
  const gone = closeOf(socket);
  socket.write(request.repeat(HTTP_LIMITS.pipelined + 500));
  await gone;
  expect(taken).toBe((bursts + 1) * HTTP_LIMITS.pipelined);
  await listener.close(0);
});

describe('huge and deeply nested requests', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const post = async (path: string, body: string, type = 'application/x-www-form-urlencoded') => {
    const answer = await fetch(new URL(path, airlock.quickstart.http_url), {
      method: 'POST',
      headers: { authorization: `Bearer ${airlock.quickstart.access_token}`, 'content-type': type },
      body,
    });
    return { status: answer.status, body: (await answer.json()) as { code: number }[] };
  };

  test('refuses fields that are too long, too deep or too many, with a specific error', async () => {
    const { page_id: page } = airlock.quickstart;
    const fields = [
      `a${'{a'.repeat(5_000)}${'}'.repeat(5_000)}`,
      'a,'.repeat(8_000),
      `${'a.limit('.repeat(2_000)}`,
      'x'.repeat(16_385),
      '{'.repeat(16_000),
    ];
    for (const text of fields) {
      const answer = await post(`/${page}?method=GET`, new URLSearchParams({ fields: text }).toString());
      expect(answer).toMatchObject({ status: 400, body: { error: { code: expect.any(Number) } } });
    }
    const nested = await post(`/${page}?method=GET`, `fields=${encodeURIComponent(deep('[', ']', 8_000))}`);
    expect(nested.status).toBeLessThan(500);
  });

  test('refuses batches with too many calls, deep nesting or nested batches; serves a large valid batch', async () => {
    const { page_id: page } = airlock.quickstart;
    const calls = (count: number, url: string) =>
      JSON.stringify(new Array(count).fill({ method: 'GET', relative_url: url }));
    const refused = [calls(51, page), calls(5_000, page), deep('[', ']', 200_000), deep('{"a":', '}', 100_000)];
    for (const batch of refused) {
      const answer = await post('/', new URLSearchParams({ batch }).toString());
      expect(answer).toMatchObject({ status: 400 });
      expect((await post('/', `{"batch":${batch}}`, 'application/json')).status).toBe(400);
    }
    const itself = await post(
      '/',
      new URLSearchParams({ batch: calls(2, `?batch=${encodeURIComponent('[]')}`) }).toString(),
    );
    expect(itself.body.map((each) => each.code)).toEqual([400, 400]);
    const edges = 'live_videos.limit(100){errors.limit(100),comments.limit(100){comments.limit(100)},video{id}}';
    const all = await post('/', new URLSearchParams({ batch: calls(50, `${page}?fields=${edges}`) }).toString());
    expect(all.body).toHaveLength(50);
  });

  test('refuses too many parameters, endless brackets, broken JSON and oversized bodies', async () => {
    const { page_id: page } = airlock.quickstart;
    const path = `/${page}/live_videos`;
    const bad = [
      Array.from({ length: 1_001 }, (_, n) => `p${n}=1`).join('&'),
      `a${'[b]'.repeat(100_000)}=1`,
      'title='.padEnd(1_100_000, 'x'),
    ];
    for (const body of bad) expect((await post(path, body)).status).toBe(400);
    const objects = [
      deep('{"a":', '}', 50_000),
      deep('[', ']', 400_000),
      '{"__proto__":{"x":1},"constructor":{}}',
      '[1,',
    ];
    for (const body of objects) expect((await post(path, body, 'application/json')).status).toBeLessThan(500);
    const loose = new URLSearchParams({ privacy: deep('{a:', '}', 100_000) });
    expect((await post(path, loose.toString())).status).toBe(400);
    const target = new URLSearchParams({ title: 'x', targeting: deep('[', ']', 100_000) });
    expect((await post(path, target.toString())).status).toBeLessThan(500);
  });

  test('refuses multipart bodies with unnamed parts, long names, truncation or thousands of parts', async () => {
    const part = (disposition: string) => `--b\r\nContent-Disposition: form-data${disposition}\r\n\r\nx\r\n`;
    const bodies = [
      `${part('')}--b--\r\n`,
      `${part('; filename="x"')}--b--\r\n`,
      `${part(`; name="a${'[b]'.repeat(50)}"`)}--b--\r\n`,
      `${part(`; name="${'n'.repeat(5_000)}"`)}--b--\r\n`,
      part('; name="title"; filename="x"'),
      '--b\r\nContent-Disposition: form-data; name="x"\r\nX',
      `${part('; name="p"').repeat(1_100)}--b--\r\n`,
      `${part('; name="f"; filename="f"').repeat(10)}--b--\r\n`,
      `--b\r\n${'X-H: y\r\n'.repeat(5_000)}\r\nx\r\n--b--\r\n`,
      '',
    ];
    for (const path of ['/', `/${airlock.quickstart.page_id}/videos`]) {
      for (const body of bodies) {
        const { status } = await post(path, body, 'multipart/form-data; boundary=b');
        expect([body.slice(0, 80), status]).toEqual([body.slice(0, 80), 400]);
      }
      expect((await post(path, 'x', 'multipart/form-data')).status).toBe(400);
    }
  });

  test('refuses a multipart body that makes the parser throw, and keeps serving', async () => {
    // Each piece is a separate chunk, so that the parser sees the same boundaries regardless of the network.
    const pieces = ['--b\r\nContent-Disposition:form-data;=""\r\ne:\r\n\r\n--b\r\n\r\nn:x', 'c\r\n--b', '\r\nx'];
    const body = new ReadableStream({
      start: (stream) => {
        for (const piece of pieces) stream.enqueue(Buffer.from(piece));
        stream.close();
      },
    });
    const url = new URL('/', airlock.quickstart.http_url);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await fetch(url, { method: 'POST', headers, body, duplex: 'half' })).status).toBe(400);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  test.each([
    ['a wrong token before it', 'name="access_token"\r\n\r\nwrong', 401],
    ['an invalid field before it', 'name="access_token[a][b][c][d][e][f][g][h]"\r\n\r\nx', 400],
  ])('refuses a large file with %s, and keeps serving', async (_what, field, status) => {
    const body = `--b\r\nContent-Disposition: form-data; ${field}\r\n--b\r\nContent-Disposition: form-data; name="source"; filename="a.mp4"\r\n\r\n${'x'.repeat(5_000_000)}\r\n--b--\r\n`;
    const url = new URL(`/${airlock.quickstart.page_id}/videos`, airlock.quickstart.http_url);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(status);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  test('answers a 20 MB invalid body instead of resetting the connection', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect((await post('/', 'x'.repeat(20_000_000), type)).status).toBe(400);
    }
  });

  test('refuses oversized images, captions and files, and files that the operation does not accept', async () => {
    const { page_id: page, access_token: token, http_url: server } = airlock.quickstart;
    const videoId = (await airlock.request('GET', `/${airlock.quickstart.live_video_id}`, { fields: 'video' })).body
      .video.id;
    for (const [path, field, bytes] of [
      [`${videoId}/thumbnails`, 'source', 11_000_000],
      [`${videoId}/captions`, 'captions_file', 30_000_000],
      [`${videoId}/captions`, 'source', 11_000_000],
      [`${page}/videos`, 'thumb', 11_000_000],
      [`${page}/videos`, 'captions_file', 11_000_000],
      [`${page}/live_videos`, 'source', 11_000_000],
      ['', 'thumb', 11_000_000],
    ] as const) {
      const body = new FormData();
      body.set('title', 'x');
      body.set(field, new Blob([Buffer.alloc(bytes, 'x\r\n--')]), 'a.srt');
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(new URL(path, server), { method: 'POST', headers, body });
      expect([path, field, status]).toEqual([path, field, 400]);
    }
    expect((await fetch(new URL('/healthz', server))).status).toBe(200);
  });

  test('refuses oversized headers and URLs, and invalid or smuggled requests', async () => {
    expect(await raw(`GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(`\x16\x03\x01${'\0'.repeat(200)}`)).toMatch(/^HTTP\/1\.1 400 /);
    const smuggled =
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n';
    expect(await raw(smuggled)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test('resolves no path or file name outside its folder', async () => {
  const { page_id: page, live_video_id: live } = airlock.quickstart;
  const up = ['..', '%2e%2e', '%252e%252e', '..%2f..', '..%5c..', '....//'];
  const paths = up.flatMap((step) => {
    const climb = `${step}/`.repeat(6);
    return [
      `/${climb}etc/passwd`,
      `/files/${climb}etc/passwd`,
      `/files/videos/${live}/${climb}key-secret`,
      `/dashboard/${climb}package.json`,
      `/dock/${climb}server.key`,
    ];
  });
  for (const path of [
    ...paths,
    '/files/videos/%00',
    `/files/videos/${live}/source.mp4%00.jpg`,
    '/%ff%fe',
    '//etc/passwd',
  ]) {
    const line = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect([path, line]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 4\d\d /)]);
  }

  const before = new Set(readdirSync(airlock.folder));
  const names = [
    '../../../escaped.mp4',
    '/escaped.mp4',
    '..\\..\\escaped.mp4',
    'a\0b.mp4',
    `${'n'.repeat(5_000)}.mp4`,
    '-i escaped.mp4',
    'file:/etc/passwd',
  ];
  for (const name of names) {
    const form = new FormData();
    form.set('access_token', airlock.quickstart.access_token);
    form.set('source', new Blob([Buffer.alloc(4_096, 0x20)]), name);
    const answer = await fetch(new URL(`/${page}/videos`, airlock.quickstart.http_url), { method: 'POST', body: form });
    expect(answer.status).toBeLessThan(500);
  }
  expect(readdirSync(airlock.folder).filter((name) => !before.has(name))).toEqual([]);
  const anywhere = namesBelow(join(airlock.folder, 'data'));
  expect(anywhere.filter((name) => name.includes('escaped'))).toEqual([]);
  expect(existsSync('/escaped.mp4')).toBe(false);
});

test('sets the security headers on every response', async () => {
  const { page_id: page, http_url: url } = airlock.quickstart;
  for (const path of [
    `/${page}`,
    '/nothing',
    '/files/videos/1/source.mp4',
    '/dashboard/',
    '/dock/',
    '/docs/',
    '/try',
    '/healthz',
    '/metrics',
  ]) {
    const { headers, body } = await fetch(new URL(path, url));
    // Its connection stays open for a body that is not read.
    await body?.cancel();
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    expect([path, headers.get('content-security-policy') ?? '']).toEqual([
      path,
      expect.stringMatching(/default-src|sandbox/),
    ]);
    expect([
      path,
      headers.get('set-cookie'),
      headers.get('x-powered-by'),
      headers.get('access-control-allow-credentials'),
    ]).toEqual([path, null, null, null]);
  }
});
