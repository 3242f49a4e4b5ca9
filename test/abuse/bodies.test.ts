/** Excessive request bodies and queries are refused early, in little memory, beside a running broadcast. */

import { readdirSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { API_LIMITS } from '../../src/api/context/limits.js';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectStillUntouched, expectUntouched } from '../support/bystander.js';
import { inFull } from '../support/in-full.js';
import { watchMemory } from '../support/process-memory.js';

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

interface Answer {
  readonly status: number;
  readonly code: number | undefined;
  readonly message: string;
}

interface Upload {
  readonly answered: Promise<Answer>;
  readonly request: ClientRequest;
  /** Bytes of the body sent so far. */
  sentBytes(): number;
}

interface Options {
  readonly from?: string;
  readonly token?: string;
  readonly type?: string;
  readonly length?: number;
}

const FORM = 'multipart/form-data; boundary=b';
const TEXT = 'application/x-www-form-urlencoded';
const videos = () => `/${airlock.quickstart.page_id}/videos`;
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileHead = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`;

/** Begins a request whose body the test sends; `answered` resolves with the response, even before the body ends. */
function open(path: string, { from = '127.0.0.1', token, type = FORM, length }: Options = {}): Upload {
  const request = httpRequest(new URL(path, airlock.quickstart.http_url), {
    method: 'POST',
    agent: false,
    localAddress: from,
    headers: {
      'content-type': type,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(length === undefined ? {} : { 'content-length': length }),
    },
  });
  let sentBytes = 0;
  const write = request.write.bind(request);
  request.write = (chunk: string | Buffer) => {
    sentBytes += chunk.length;
    return write(chunk);
  };
  const answered = new Promise<Answer>((resolve, reject) => {
    request.once('response', (response: IncomingMessage) => {
      let text = '';
      response.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      response.once('close', () => {
        const error = (JSON.parse(text) as { error?: { code: number; message: string } }).error;
        resolve({ status: response.statusCode ?? 0, code: error?.code, message: error?.message ?? '' });
        request.destroy();
      });
    });
    request.on('error', reject);
    request.once('close', () => reject(new Error('closed without an answer')));
  });
  answered.catch(() => undefined);
  return { answered, request, sentBytes: () => sentBytes };
}

/** Sends the pieces, respecting backpressure, until there is a response. */
async function send({ request, answered }: Upload, pieces: Iterable<string | Buffer>): Promise<Answer> {
  let isOver = false;
  const over = answered.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  for (const piece of pieces) {
    if (isOver) break;
    if (request.write(piece)) continue;
    const drained = new Promise((resolve) => request.once('drain', resolve));
    await Promise.race([drained, over.catch(() => undefined)]);
  }
  if (!isOver) request.end();
  return over;
}

function* repeat<T>(count: number, piece: T): Generator<T> {
  for (let n = 0; n < count; n++) yield piece;
}

/** Names are unique, since a later value replaces an earlier one of the same name. */
function* fields(count: number): Generator<string> {
  for (let n = 0; n < count; n++) yield field(`title${n}`, 'x'.repeat(1_000_000));
}

test('refuses a 400 MiB text form without a token early, in little memory', async () => {
  const memory = watchMemory(airlock.pid);
  const form = (parts: number) => {
    const upload = open(videos());
    return { upload, sent: send(upload, fields(parts)) };
  };
  const large = form(430);
  // Up to a limit the remaining body is read and discarded, so that the client gets the response; then the connection is closed.
  const [answer] = await Promise.allSettled([large.sent]);
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(120);
  expect(large.upload.sentBytes()).toBeLessThan(150_000_000);
  // Beyond what a form may hold, and few enough bytes to be discarded within the time for it on a busy machine.
  // An address may hold four of the largest texts: a fifth at the same time may get 503.
  const refused = await Promise.all(Array.from({ length: 3 }, () => form(6).sent));
  for (const { status, code, message } of [...refused, ...(answer?.status === 'fulfilled' ? [answer.value] : [])]) {
    expect([status, code]).toEqual([400, 100]);
    expect(message).toContain('in total');
  }
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(120);
});

test('rejects a bad token in the header or URL before buffering the body', async () => {
  for (const [path, token] of [
    [videos(), 'wrong'],
    [`${videos()}?access_token=wrong`, undefined],
  ] as const) {
    const upload = open(path, { ...(token === undefined ? {} : { token }) });
    // No body is sent: the response does not wait for it.
    upload.request.flushHeaders();
    expect(await upload.answered).toMatchObject({ status: 401, code: 190 });
  }
});

test('buffers twenty 10 MiB images without a token on disk, and deletes them after the response', async () => {
  const { body } = await airlock.request('GET', `/${airlock.quickstart.live_video_id}`, { fields: 'video' });
  const memory = watchMemory(airlock.pid);
  const pieces = function* () {
    yield fileHead('source');
    yield* repeat(160, Buffer.alloc(65_536, 'x'));
    yield '\r\n--b--\r\n';
  };
  const path = `/${body.video.id}/thumbnails`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(open(path), pieces())));
  expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['400 104']));
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(150);
  const left = readdirSync(join(airlock.folder, 'data'), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile() && entry.parentPath.includes('work'))).toEqual([]);
});

test('holds a body of one-byte chunks in little more memory than its size', async () => {
  const memory = watchMemory(airlock.pid);
  const bytes = '1\r\na\r\n'.repeat(500_000);
  const uploads = Array.from({ length: 2 }, () => {
    const upload = open(videos(), { type: TEXT });
    upload.request.flushHeaders();
    upload.request.once('socket', (socket) => socket.once('connect', () => socket.write(`${bytes}0\r\n\r\n`)));
    return upload.answered;
  });
  for (const { status } of await Promise.all(uploads)) expect(status).toBe(400);
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(100);
});

test('ends slow bodies at a deadline unless they have a valid token', async () => {
  const { access_token: token } = airlock.quickstart;
  // From several addresses, since concurrent bodies are limited per address.
  const from = (n: number) => `127.0.2.${1 + (n % 5)}`;
  const anonymous = [
    ...Array.from({ length: 100 }, (_, n) => open(videos(), { from: from(n), type: TEXT, length: 900_000 })),
    ...Array.from({ length: 50 }, (_, n) => open(videos(), { from: from(n), type: 'application/json' })),
    ...Array.from({ length: 50 }, (_, n) => open(videos(), { from: from(n) })),
  ];
  const known = [open(videos(), { token, type: TEXT }), open(videos(), { token })];
  const afterField = open(videos());
  afterField.request.write(field('access_token', token));
  for (const { request } of [...anonymous.slice(150), ...known.slice(1), afterField]) {
    request.write('--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n');
  }
  // Above the minimum rate of a body.
  const drip = setInterval(() => {
    for (const { request } of [...anonymous, ...known, afterField])
      if (request.writable) request.write('a'.repeat(200));
  }, 1_000);
  const answers = await Promise.all(anonymous.map(({ answered }) => answered));
  expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['400 104']));
  clearInterval(drip);
  for (const { request } of known.slice(0, 1)) request.end();
  for (const { request } of [...known.slice(1), afterField]) request.end('\r\n--b--\r\n');
  // The bodies were read: another error comes from the operation itself.
  for (const { answered } of [...known, afterField]) expect((await answered).code).not.toBe(104);
});

describe('when the memory for bodies is used up', () => {
  const held: Upload[] = [];
  afterEach(() => {
    for (const { request } of held.splice(0)) request.destroy();
  });

  /** A text body of the largest size that never ends. */
  const hold = (from: string) => {
    const upload = open(videos(), { from, type: TEXT, length: API_LIMITS.bodyBytes });
    upload.request.write('x'.repeat(API_LIMITS.bodyBytes - 1));
    held.push(upload);
    return upload.answered;
  };
  const create = async (options: Options) => {
    const token = options.token === undefined ? { access_token: airlock.quickstart.access_token } : {};
    const upload = open(`/${airlock.quickstart.page_id}/live_videos`, { ...options, type: TEXT });
    return send(upload, [new URLSearchParams({ title: 'Hello', ...token }).toString()]);
  };

  test('by one address, refuses only anonymous bodies of that address', async () => {
    const { perHolder } = API_LIMITS.anonymousBodies;
    const count = perHolder / API_LIMITS.bodyBytes + 1;
    const refused = await Promise.race(Array.from({ length: count }, () => hold('127.0.0.1')));
    expect(refused).toMatchObject({ status: 503, code: 2, message: expect.stringContaining('from this client') });
    expect((await create({ from: '127.0.0.2' })).status).toBe(200);
    expect((await create({ token: airlock.quickstart.access_token })).status).toBe(200);
    for (const { request } of held.splice(0)) request.destroy();
    await airlock.until(
      () => create({}),
      ({ status }) => status === 200,
    );
  });

  test('by many addresses, still serves token holders', async () => {
    const { perHolder, total } = API_LIMITS.anonymousBodies;
    const each = perHolder / API_LIMITS.bodyBytes;
    const addresses = Array.from({ length: total / perHolder + 1 }, (_, n) => `127.0.1.${n + 1}`);
    const refused = await Promise.race(addresses.flatMap((from) => Array.from({ length: each }, () => hold(from))));
    expect(refused).toMatchObject({ status: 503, code: 2, message: expect.stringContaining('The server') });
    expect((await create({ token: airlock.quickstart.access_token })).status).toBe(200);
  });
});

/** Nested queries: their worst case is computed and refused before anything is read, and no broadcast is affected. */
describe('nested queries', () => {
  let lives: string[];
  beforeAll(async () => {
    const made: { id: string }[] = [];
    while (made.length < 100) made.push(await airlock.createLive());
    lives = made.map(({ id }) => id);
  });

  const inner = (fields: string) => `live_videos.limit(100){from{${fields}}}`;
  const ATTACK = inner(inner('live_videos.limit(100)'));

  function batchOf(count: number, url: (n: number) => string): Record<string, string> {
    return { batch: JSON.stringify(Array.from({ length: count }, (_each, n) => ({ relative_url: url(n) }))) };
  }

  interface Part {
    readonly code: number;
    readonly body: string;
  }

  test('refuses nested edges with full pages: alone, for many nodes, and in a batch', async () => {
    const { page_id: page } = airlock.quickstart;
    const memory = watchMemory(airlock.pid);
    const alone = await airlock.request('GET', `/${page}`, { fields: ATTACK });
    expect(alone).toMatchObject({
      status: 400,
      body: { error: { code: 100, message: expect.stringMatching(/limit/) } },
    });
    const many = { ids: lives.slice(0, 50).join(','), fields: 'from{live_videos.limit(100){errors.limit(100)}}' };
    expect(await airlock.request('GET', '/', many)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
    const lists = 'live_videos.limit(100){ingest_streams{id},from{live_videos.limit(100){ingest_streams{id},errors}}}';
    expect(await airlock.request('GET', `/${page}`, { fields: lists })).toMatchObject({ status: 400 });
    const parts: Part[] = await airlock.post(
      '/',
      batchOf(4, () => `${page}?fields=${ATTACK}`),
    );
    expect(parts.map(({ code }) => code)).toEqual([400, 400, 400, 400]);
    expect(memory.peakMb() - memory.beforeMb).toBeLessThan(60);
  });

  test('shares one read budget among the calls of a batch', async () => {
    const { page_id: page } = airlock.quickstart;
    const memory = watchMemory(airlock.pid);
    const fields = 'live_videos.limit(100){id,from{live_videos.limit(100){id}}}';
    const parts: Part[] = await airlock.post(
      '/',
      batchOf(20, () => `${page}?fields=${fields}`),
    );
    const codes = parts.map(({ code }) => code);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([200, 400]));
    const read = parts.reduce((sum, { body }) => sum + body.split('"id"').length, 0);
    expect(read).toBeLessThan(25_000);
    expect(memory.peakMb() - memory.beforeMb).toBeLessThan(200);
  });

  test('stops rendering at the size limit of an answer when aliases repeat large values', async () => {
    const { page_id: page } = airlock.quickstart;
    const memory = watchMemory(airlock.pid);
    const names = Array.from({ length: 400 }, (_each, n) => `recommended_encoder_settings.as(a${n})`);
    const { status, body } = await airlock.request('POST', `/`, {
      ...batchOf(2, () => `${page}/live_videos?limit=100&fields=${names.join(',')}`),
    });
    expect(status).toBe(200);
    // Only the start of each answer is compared, since a failing test would print all of it.
    const parts = (body as Part[]).map(({ code, body: text }) => `${code} ${text.slice(0, 100)}`);
    expect(parts).toEqual([0, 1].map(() => expect.stringMatching(/^500 .*reduce the amount/)));
    expect(memory.peakMb() - memory.beforeMb).toBeLessThan(300);
  });

  inFull('answers several of the largest allowed queries at once', async () => {
    const { page_id: page } = airlock.quickstart;
    const fields =
      'live_videos.limit(100){title,status,from{name,live_videos.limit(100){title,status,errors.limit(1)}}}';
    const within = 'live_videos.limit(100){title,status,from{name,live_videos.limit(50){title,status,from}}}';
    const answers = await Promise.all(Array.from({ length: 3 }, () => airlock.get(`/${page}`, { fields: within })));
    for (const { live_videos: list } of answers) {
      expect(list.data).toHaveLength(100);
      expect(list.data[99].from.live_videos.data).toHaveLength(50);
    }
    expect((await airlock.request('GET', `/${page}`, { fields })).status).toBe(400);
  });

  inFull(
    'batches of many small pages delay neither a probe nor a small read, and are answered one after the other',
    async () => {
      const { page_id: page } = airlock.quickstart;
      const memory = watchMemory(airlock.pid);
      const url = `${page}/live_videos?limit=100&fields=title,status,secure_stream_url,ingest_streams`;
      let isOver = false;
      const longest = async (path: string) => {
        let ms = 0;
        while (!isOver) {
          const from = performance.now();
          await airlock.get(path);
          ms = Math.max(ms, performance.now() - from);
        }
        return ms;
      };
      const startedMs = performance.now();
      const reads = Promise.all([longest('/healthz'), longest(`/${lives[0]}`)]);
      const answers = await Promise.all(
        Array.from(
          { length: 6 },
          async (): Promise<Part[]> =>
            airlock.post(
              '/',
              batchOf(16, () => url),
            ),
        ),
      );
      isOver = true;
      const tookMs = performance.now() - startedMs;
      for (const parts of answers) expect(parts.map(({ code }) => code)).toEqual(Array.from({ length: 16 }, () => 200));
      // A share, since a busy machine slows both. `test/api/batch-turns` counts what it does in a turn.
      for (const ms of await reads) expect(ms).toBeLessThan(tookMs / 4);
      expect(memory.peakMb() - memory.beforeMb).toBeLessThan(70);
    },
  );

  test('answers ordinary nested queries and a batch of fifty without warnings', async () => {
    const accounts = await airlock.get('/me', { fields: 'accounts{live_videos.limit(1)}' });
    expect(accounts.accounts.data[0].live_videos.data).toHaveLength(1);
    const parts: Part[] = await airlock.post(
      '/',
      batchOf(50, (n) => `${lives[n]}?fields=title,errors.limit(5)`),
    );
    expect(parts.map(({ code }) => code)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(airlock.log).not.toContain('Warning');
  });
});
