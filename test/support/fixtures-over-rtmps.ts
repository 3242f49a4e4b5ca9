/**
 * Fixtures over real RTMPS to the built server, with their errors read by GET: exactly the records of `expected.json`, and
 * for rules judged by media the same as from a file: severity, count, values and stream times. Fixtures with a delivery are paced and run concurrently;
 * the others are sent as fast as the server accepts them.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { catalogueEntry } from '../../src/rules/registry/catalogue.js';
import { Airlock, type ErrorRow, isCause } from './airlock.js';
import { type Place, publishFixture } from './fixture-publisher.js';
import { differences, expectedRecords, type Found, judgeAsFile, linesOf, seenIn } from './fixture-run.js';
import { type Fixture, isSimulated, messagesOf } from './fixtures.js';

const AT_ONCE = 6;
/** Tolerance of rules judged by the clock, for late timers and a busy server. `fixtures/memory` turns the clock by hand. */
const SLACK_MS = 1_500;
/** Later than this, what is judged by arrival may be the fault of a test process that got no processor. */
const LATE_MS = 300;
/** Polls after which a missing record is not merely late. */
const LOOKS = 100;
/** Of the second encoder that waits for the key of the first: how often it tries depends on the machine. */
const PUBLISH_REFUSED = 6102;

interface Published {
  /** Of its broadcast. */
  readonly id: string;
  readonly lateMs: number;
}

/** Declares a test for each fixture; one server serves them all. Simulated links are for the simulated clock. */
export function testOverRtmps(all: readonly Fixture[]): void {
  const fixtures = all.filter((fixture) => !isSimulated(fixture));
  const broadcasts = new Map<string, Promise<Published>>();
  let airlock: Airlock;

  beforeAll(async () => {
    const plainPort = await freePort();
    airlock = await Airlock.start({ AIRLOCK_RTMP_PORT: String(plainPort), AIRLOCK_RECORD: 'off' });
    publishAll({ airlock, plainPort }, fixtures, broadcasts);
    // Judging eight hours blocks this process for seconds, which would time out a handshake: wait for all publishes first.
    await Promise.allSettled(broadcasts.values());
  }, 480_000);
  afterAll(() => airlock.stop());

  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    await expectRecords(airlock, (await broadcasts.get(name)) ?? { id: '', lateMs: 0 }, fixture);
  });
}

function publishAll(place: Place, fixtures: readonly Fixture[], broadcasts: Map<string, Promise<Published>>): void {
  // The test that awaits it fails with a rejection.
  const keep = ({ name }: Fixture, run: Promise<Published>) => {
    run.catch(() => undefined);
    broadcasts.set(name, run);
  };
  for (const fixture of fixtures.filter(isPaced)) keep(fixture, publish(place, fixture));
  const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  for (const [i, fixture] of fixtures.filter((one) => !isPaced(one)).entries()) {
    const lane = i % AT_ONCE;
    const run = (lanes[lane] ?? Promise.resolve()).then(() => publish(place, fixture));
    keep(fixture, run);
    lanes[lane] = run.catch(() => undefined);
  }
}

function isPaced({ recipe }: Fixture): boolean {
  return recipe.delivery !== undefined;
}

/** Publishes a fixture to its end. */
async function publish(place: Place, fixture: Fixture): Promise<Published> {
  const { id, key } = await again(() => place.airlock.createLive({ title: fixture.name }));
  const lateMs = await publishFixture(place, key, () => messagesOf(fixture), fixture.recipe.delivery);
  return { id, lateMs };
}

/** Polls for the records: they are journaled first and stored asynchronously. */
async function recordsOf(
  airlock: Airlock,
  id: string,
  isComplete: (found: readonly Found[]) => boolean,
): Promise<readonly Found[]> {
  let looks = 0;
  return airlock.until(
    async () => foundIn(await again(() => airlock.errors(id))),
    (found) => isComplete(found) || ++looks === LOOKS,
  );
}

function foundIn(rows: readonly ErrorRow[]): readonly Found[] {
  return rows
    .filter(({ error_code }) => error_code !== PUBLISH_REFUSED)
    .sort((a, b) => a.sequence - b.sequence)
    .map((row) => ({
      code: row.error_code,
      atMs: Number(row.stream_time_ms),
      clearedMs: undefined,
      text: row.description,
      seen: seenIn(row),
    }));
}

/** Retries once: a busy process may not have noticed that the server closed a keep-alive connection. */
function again<T>(ask: () => Promise<T>): Promise<T> {
  return ask().catch((error: unknown) => {
    if (error instanceof TypeError) return ask();
    throw error;
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function expectRecords(airlock: Airlock, { id, lateMs }: Published, fixture: Fixture): Promise<void> {
  const { delivery } = fixture.recipe;
  const expected = expectedRecords(fixture.expected, { arrival: true }).map(
    ({ cleared_ms: _cleared, ...record }) => record,
  );
  const codes = expected.map(({ code }) => code);
  // What needs more than the stream may come later than an unpaced one ends, or not at all.
  const doubtful = fixture.expected.errors.flatMap(({ code, needs }) => (needs === undefined ? [] : [code]));
  const isSure = ({ code }: Found): boolean => !doubtful.includes(code);
  const onlyLive = new Set(expected.filter((record) => record.live_only === true).map(({ code }) => code));
  const isExact = (one: Found) => isSure(one) && isByMedia(one) && !onlyLive.has(one.code);
  const inFile = linesOf(judgeAsFile(fixture, await messagesOf(fixture)).filter(isExact));
  // Counts and worst values of a record are stored after it.
  const isComplete = (found: readonly Found[]) =>
    codes.every((code) => found.some((one) => one.code === code)) &&
    linesOf(found.filter(isExact)).join() === inFile.join();
  const all = (await recordsOf(airlock, id, isComplete)).filter(isSure);
  // Unpaced fixtures do arrive faster than real time, which they do not test. A loaded machine disturbs paced ones.
  const isTested = ({ code }: Found) =>
    delivery !== undefined && (codes.includes(code) || (lateMs < LATE_MS && !isCause(code)));
  const found = all.filter((one) => isByMedia(one) || isTested(one));
  const slackMs = delivery === undefined ? 0 : Math.max(1, delivery.speed) * (SLACK_MS + lateMs);
  expect(differences(found, expected, slackMs)).toEqual([]);
  expect(linesOf(found.filter(isExact))).toEqual(inFile);
}

function isByMedia({ code }: Found): boolean {
  return catalogueEntry(code).judgedBy !== 'arrival';
}
