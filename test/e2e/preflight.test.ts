/** `?preflight=1` after the key: a verdict by onStatus and by GET, and nothing goes live. */
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
});
afterAll(() => airlock.stop());

const RULE = { code: expect.any(Number), judged: expect.stringMatching(/^(pass|warn|fail|not-judged)$/) };

async function preflight(key: string, stream: Parameters<typeof synthStream>[0]) {
  const publisher = await Publisher.open(airlock, `${key}?preflight=1`);
  await publisher.send(synthStream({ durationMs: 22_000, ...stream }));
  const status = await publisher.status('NetStream.Publish.Preflight');
  await publisher.until(() => publisher.closed);
  return { status, verdict: JSON.parse(String(status.fields.verdict)) };
}

test('20 s of a good stream pass; rules without enough data are not judged', async () => {
  const live = await airlock.createLive();
  const { status, verdict } = await preflight(live.key, {});
  expect(status).toMatchObject({ level: 'status', description: expect.stringContaining('passed') });
  expect(verdict.result).toBe('pass');
  expect(verdict.streamTimeMs).toBeGreaterThanOrEqual(20_000);
  expect(verdict.rules).toContainEqual(expect.objectContaining({ ...RULE, code: 6208, judged: 'pass' }));
  expect(verdict.rules).toContainEqual(
    expect.objectContaining({ code: 6501, judged: expect.stringMatching(/pass|not-judged/) }),
  );
});

test('fails with a reason for a violated rule; the broadcast does not go live and keeps no record; GET returns the verdict', async () => {
  const live = await airlock.createLive();
  const { status, verdict } = await preflight(live.key, { keyFrameIntervalMs: 6000 });
  expect(status).toMatchObject({ level: 'error', description: expect.stringContaining('6208') });
  expect(verdict.rules).toContainEqual(expect.objectContaining({ code: 6208, judged: 'fail' }));
  const body = await airlock.get(`/${live.id}`, { fields: 'status,preflight' });
  expect(body.status).toBe('UNPUBLISHED');
  expect(body.preflight).toEqual(verdict);
  expect(await airlock.errors(live.id)).toEqual([]);
});
