/** Nested queries: their worst case is computed and refused before anything is read, and no broadcast is affected. */
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { watchMemory } from '../support/process-memory.js';

let airlock: Airlock;
let bystander: Bystander;
let lives: string[];
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
  const made: { id: string }[] = [];
  while (made.length < 100) made.push(await airlock.createLive());
  lives = made.map(({ id }) => id);
});
afterAll(() => airlock.stop());
beforeEach(async () => {
  bystander = await Bystander.start(airlock);
});
afterEach(() => expectUntouched(bystander));

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
  expect(alone).toMatchObject({ status: 400, body: { error: { code: 100, message: expect.stringMatching(/limit/) } } });
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

test('answers several of the largest allowed queries at once', async () => {
  const { page_id: page } = airlock.quickstart;
  const fields = 'live_videos.limit(100){title,status,from{name,live_videos.limit(100){title,status,errors.limit(1)}}}';
  const within = 'live_videos.limit(100){title,status,from{name,live_videos.limit(50){title,status,from}}}';
  const answers = await Promise.all(Array.from({ length: 6 }, () => airlock.get(`/${page}`, { fields: within })));
  for (const { live_videos: list } of answers) {
    expect(list.data).toHaveLength(100);
    expect(list.data[99].from.live_videos.data).toHaveLength(50);
  }
  expect((await airlock.request('GET', `/${page}`, { fields })).status).toBe(400);
});

test('batches of many small pages delay neither a probe nor a small read, and are answered one after the other', async () => {
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
      { length: 8 },
      async (): Promise<Part[]> =>
        airlock.post(
          '/',
          batchOf(25, () => url),
        ),
    ),
  );
  isOver = true;
  const tookMs = performance.now() - startedMs;
  for (const parts of answers) expect(parts.map(({ code }) => code)).toEqual(Array.from({ length: 25 }, () => 200));
  // A share, since a busy machine slows both. `test/api/batch-turns` counts what it does in a turn.
  for (const ms of await reads) expect(ms).toBeLessThan(tookMs / 4);
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(70);
});

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
