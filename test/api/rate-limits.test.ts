import { ApiWorld } from '../support/api-world.js';
import { RedisServer } from '../support/redis-server.js';

test('by token: 403, 17, and when to come back; by address: 4', async () => {
  const world = await ApiWorld.open({
    rateLimits: { perTokenPerMinute: 5, perAddressPerMinute: 9, countLoopback: true },
  });
  try {
    const replies = [];
    for (let n = 0; n < 6; n += 1) replies.push(await world.get('/me'));
    expect(replies.map((each) => each.status)).toEqual([200, 200, 200, 200, 200, 403]);
    expect(JSON.parse(replies[4]?.headers.get('x-app-usage') ?? '')).toMatchObject({ call_count: 100 });
    expect(replies[5]?.body.error).toMatchObject({ code: 17, is_transient: true });
    expect(Number(replies[5]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = [];
    for (let n = 0; n < 4; n += 1) other.push(await world.get('/me', {}, { token: world.strangerToken }));
    expect(other.map((each) => each.status)).toEqual([200, 200, 200, 403]);
    expect(other[3]?.body.error).toMatchObject({ code: 4 });
  } finally {
    await world.close();
  }
});

test('shared by processes through Redis, and no refusal for want of it', async () => {
  const redis = await RedisServer.start();
  const limits = { rateLimits: { perTokenPerMinute: 4, perAddressPerMinute: 1_000, countLoopback: true } };
  const worlds = [await ApiWorld.open(limits, redis.url), await ApiWorld.open(limits, redis.url)];
  try {
    const [first, second] = worlds;
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
    for (const world of worlds) await world.close();
    await redis.stop();
  }
});
