/** Every fixture that conforms, forwarded to another Airlock over TLS: it finds nothing that the first one did not find. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogueEntry } from '../../src/rules/registry/catalogue.js';
import { Airlock } from '../support/airlock.js';
import { publishFixture } from '../support/fixture-publisher.js';
import { isSlow } from '../support/fixture-sample.js';
import { allFixtures, type Fixture, isSimulated, messagesOf } from '../support/fixtures.js';
import { freePort } from '../support/redis-server.js';
import { until } from '../support/store-harness.js';

/** Each takes as long as its stream. */
const AT_ONCE = 6;
/** A shorter stream may be over before a busy target has accepted it. */
const SHORTEST_MS = 5_000;
const REAL_TIME = { speed: 1 } as const;
/** A state is at most 2 s old on a machine that keeps up. */
const REPORTED_MS = 10_000;

const conforming = allFixtures().filter(
  (fixture) =>
    fixture.expected.errors.length === 0 &&
    (fixture.recipe.options?.durationMs ?? SHORTEST_MS) >= SHORTEST_MS &&
    !isSlow(fixture) &&
    !isSimulated(fixture),
);
const runs = new Map<string, Promise<{ readonly here: readonly number[]; readonly there: readonly number[] }>>();
let folder: string;
let first: Airlock;
let second: Airlock;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-test-'));
  const plainPort = await freePort();
  const more = { AIRLOCK_RECORD: 'off', AIRLOCK_OWNER_MAX_PUBLISHERS: '0' };
  const env = {
    ...more,
    AIRLOCK_RTMP_PORT: String(plainPort),
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
    AIRLOCK_FORWARD_CA: join(folder, 'certs', 'ca.crt'),
  };
  first = await Airlock.start(env, folder);
  second = await Airlock.start({ ...more, AIRLOCK_CERTS_DIR: join(folder, 'certs') });
  // The process of forwards starts with the first broadcast.
  await forwarded(conforming.find(({ name }) => name === 'clean-1080p30') as Fixture, plainPort);
  const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  for (const [at, fixture] of conforming.entries()) {
    const lane = at % AT_ONCE;
    const run = (lanes[lane] ?? Promise.resolve()).then(() => forwarded(fixture, plainPort));
    // The test that awaits it fails with a rejection.
    lanes[lane] = run.catch(() => undefined);
    runs.set(fixture.name, run);
  }
  await Promise.all(lanes);
}, 900_000);
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Codes of what both find in a fixture, but for how it arrives: six streams at a time disturb one another. */
async function forwarded(fixture: Fixture, plainPort: number) {
  const [here, there] = [await first.createLive({ title: fixture.name }), await second.createLive()];
  const url = `rtmps://127.0.0.1:${second.quickstart.rtmps_port}/live`;
  const { id } = await first.post(`/${here.id}/forwards`, { url, stream_key: there.key });
  const messages = () => messagesOf(fixture);
  await publishFixture({ airlock: first, plainPort }, here.key, messages, fixture.recipe.delivery ?? REAL_TIME);
  // A forward process that is late leaves its last report to expire.
  let seen: { readonly state?: string; readonly bytes_sent?: number; readonly reason?: string } = {};
  const isSent = async (): Promise<boolean> => {
    seen = await first.get(`/${id}`);
    return (seen.bytes_sent ?? 0) > 0;
  };
  await until(isSent, REPORTED_MS).catch(() => undefined);
  await first.post(`/${here.id}`, { end_live_video: 'true' });
  if (!seen.bytes_sent) throw new Error(`nothing was sent: ${seen.state} ${seen.reason}`);
  // The target has read the whole stream once it knows that it has ended.
  await second.until(
    () => second.get(`/${there.id}`, { fields: 'status,broadcast_start_time,stream_state' }),
    (live) => live.broadcast_start_time !== undefined && live.stream_state !== 'connected',
  );
  const codesOf = async (airlock: Airlock, id: string): Promise<readonly number[]> =>
    (await airlock.errorsButPace(id))
      .map(({ error_code: code }) => code)
      .filter((code) => catalogueEntry(code).judgedBy !== 'arrival');
  return { here: await codesOf(first, here.id), there: await codesOf(second, there.id) };
}

test.each(conforming.map(({ name }) => name))('%s', async (name) => {
  const { here, there } = (await runs.get(name)) ?? { here: [], there: [0] };
  expect(there.filter((code) => !here.includes(code))).toEqual([]);
});
