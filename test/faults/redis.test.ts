/** Redis hangs, is full, or refuses writes during a broadcast. */

import { Airlock } from '../support/airlock.js';
import { casesNow } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const VIOLATION = 'NetStream.Publish.Violation';
let redis: RedisServer;
let airlock: Airlock;
beforeAll(async () => {
  redis = await RedisServer.start();
  airlock = await Airlock.start({ REDIS_URL: redis.url, AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' });
});
afterAll(async () => {
  await airlock.stop();
  await redis.stop();
});

async function answered(...command: [string, ...string[]]): Promise<void> {
  const client = redis.client();
  await client.call(...command);
  client.disconnect();
}

/** Lines of the log at `warn` and above. */
function linesOfWeb(): { readonly role: string; readonly msg: string }[] {
  const lines = airlock.log.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ role }) => role === 'web');
}

const WAYS: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
  ['hangs (SIGSTOP)', async () => redis.freeze(), async () => redis.thaw()],
  ['is full', () => answered('config', 'set', 'maxmemory', '1'), () => answered('config', 'set', 'maxmemory', '0')],
  [
    'refuses writes (a replica without its master)',
    () => answered('replicaof', '127.0.0.1', '1'),
    () => answered('replicaof', 'no', 'one'),
  ],
];

test.each(casesNow(WAYS, ([how]) => how === 'is full'))(
  'Redis %s: broadcasts and pushes continue, new publishers are refused, and no record is lost',
  async (_what, begin, end) => {
    const live = await airlock.createLive();
    const other = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key);
    const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };
    const sending = publisher.send(paced(synthStream({ durationMs: 7_000, keyFrameIntervalMs: 6_000, ...small })));
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
    const linesBefore = linesOfWeb().length;
    await begin();
    const pushed = await publisher.status(VIOLATION);
    expect(pushed.fields).toMatchObject({ error_code: 6208 });
    const refused = await Publisher.open(airlock, other.key);
    expect(refused.statuses[0]).toMatchObject({
      code: 'NetStream.Publish.Rejected',
      description: expect.stringMatching(/try again/i),
    });
    for (let tries = 0; tries < 3; tries++) {
      expect(await airlock.request('POST', `/${live.id}`, { title: 'meanwhile' })).toMatchObject({
        status: 503,
        body: { error: { is_transient: true } },
      });
    }
    const told = linesOfWeb().slice(linesBefore);
    expect(told.filter(({ msg }) => /^Redis (?:is unavailable|refuses commands)$/.test(msg))).toHaveLength(1);
    expect(told.filter(({ msg }) => msg === 'request failed')).toEqual([]);
    await end();
    await sending;
    expect(publisher.closed).toBe(false);
    await publisher.stop();
    const rows = await airlock.until(
      () => airlock.request('GET', `/${live.id}/errors`),
      (answer) => answer.body.data?.length > 0,
    );
    const kept: { id: string; error_code: number }[] = rows.body.data;
    // The sender is late on a busy machine, which is reported too.
    expect(kept.filter((row) => row.error_code !== 6406).map((row) => [row.id, row.error_code])).toEqual([
      [pushed.fields.id, 6208],
    ]);
  },
);
