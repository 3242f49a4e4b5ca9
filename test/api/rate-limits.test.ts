import { ApiHarness } from '../support/api-harness.js';
import { RedisServer } from '../support/redis-server.js';

test('limits by token (error 17, with Retry-After) and by address (error 4)', async () => {
  const harness = await ApiHarness.open({
    rateLimits: { perTokenPerMinute: 5, perAddressPerMinute: 9, countLoopback: true },
  });
  try {
    const replies = [];
    for (let n = 0; n < 6; n += 1) replies.push(await harness.get('/me'));
    expect(replies.map((each) => each.status)).toEqual([200, 200, 200, 200, 200, 403]);
    expect(JSON.parse(replies[4]?.headers.get('x-app-usage') ?? '')).toMatchObject({ call_count: 100 });
    expect(replies[5]?.body.error).toMatchObject({ code: 17, is_transient: true });
    expect(Number(replies[5]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = [];
    for (let n = 0; n < 4; n += 1) other.push(await harness.get('/me', {}, { token: harness.strangerToken }));
    expect(other.map((each) => each.status)).toEqual([200, 200, 200, 403]);
    expect(other[3]?.body.error).toMatchObject({ code: 4 });
  } finally {
    await harness.close();
  }
});

test('processes share counts through Redis, and a Redis outage causes no refusal', async () => {
  const redis = await RedisServer.start();
  const limits = { rateLimits: { perTokenPerMinute: 4, perAddressPerMinute: 1_000, countLoopback: true } };
  const harnesses = [await ApiHarness.open(limits, redis.url), await ApiHarness.open(limits, redis.url)];
  try {
    const [first, second] = harnesses;
    const token = first?.token ?? '';
    const statuses: (number | undefined)[] = [];
    for (let n = 0; n < 6; n += 1) {
      const reply = await (n % 2 === 0 ? first : second)?.get('/me', {}, { token });
      statuses.push(reply?.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 403, 403]);
    await redis.kill();
    const away = await first?.get('/video_encoder_settings', {}, { token: null });
    expect(away?.status).toBe(200);
    const node = await first?.get(`/${first.page}`, {}, { token: first.strangerToken });
    expect([node?.status, node?.body.error.code]).toEqual([503, 2]);
  } finally {
    for (const harness of harnesses) await harness.close();
    await redis.stop();
  }
});

test('a batch counts each call against its token and its address', async () => {
  const harness = await ApiHarness.open({
    rateLimits: { perTokenPerMinute: 60, perAddressPerMinute: 1_000, countLoopback: true },
  });
  const byAddress = await ApiHarness.open({
    rateLimits: { perTokenPerMinute: 1_000, perAddressPerMinute: 60, countLoopback: true },
  });
  const batch = (calls: number) => JSON.stringify(new Array(calls).fill({ method: 'GET', relative_url: 'me' }));
  try {
    const [first, tooMany] = [
      await harness.post('/', { batch: batch(50) }),
      await harness.post('/', { batch: batch(11) }),
    ];
    expect([first.status, first.body.length]).toEqual([200, 50]);
    expect(tooMany.body.error).toMatchObject({ code: 17 });
    await byAddress.post('/', { batch: batch(50) });
    expect((await byAddress.post('/', { batch: batch(11) })).body.error).toMatchObject({ code: 4 });
  } finally {
    await harness.close();
    await byAddress.close();
  }
});

test('loopback is exempt unless it forwards requests', async () => {
  const harness = await ApiHarness.open({ rateLimits: { perTokenPerMinute: 1_000, perAddressPerMinute: 2 } });
  try {
    const ask = (headers: Record<string, string>) => harness.get('/me', {}, { headers });
    for (let n = 0; n < 5; n += 1) expect((await ask({})).status).toBe(200);
    const claims = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => ({ 'x-forwarded-for': address }));
    const statuses: number[] = [];
    for (const headers of claims) statuses.push((await ask(headers)).status);
    expect(statuses).toEqual([200, 200, 403]);
    expect((await ask({ via: '1.1 proxy' })).status).toBe(403);
  } finally {
    await harness.close();
  }
});

test('requests outside the graph are counted by token too, and probes are not', async () => {
  const harness = await ApiHarness.open({
    rateLimits: { perTokenPerMinute: 3, perAddressPerMinute: 1_000, countLoopback: true },
  });
  try {
    const pages = [];
    for (let n = 0; n < 4; n += 1) pages.push(await harness.get('/openapi.json'));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(pages[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await harness.get('/me')).body.error).toMatchObject({ code: 17 });
    expect((await harness.get('/readyz')).status).toBe(200);
  } finally {
    await harness.close();
  }
});
