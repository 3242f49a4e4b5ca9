/** Records of refused publishes (6102), from the stream key to `GET /{live-video-id}/errors`. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiHarness } from '../support/api-harness.js';
import { until } from '../support/store-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const FROM = { address: '192.0.2.7', encoder: 'FMLE/3.0 (compatible; FMSc/1.0)' };

async function refusedBy(id: string, from = FROM): Promise<string> {
  const verdict = await harness.engine.admit(await harness.keyOf(id), 'live', from);
  return verdict.accepted ? 'accepted' : verdict.reason;
}

const errorsOf = async (id: string) => (await harness.get(`/${id}/errors`)).body.data;

test('a live video without privacy: each repetition counts on one record', async () => {
  const id = await harness.live({}, harness.user);
  expect(await refusedBy(id)).toBe('denied-LIVE_VIDEO__PRIVACY_REQUIRED');
  const [first] = await errorsOf(id);
  expect(first).toMatchObject({
    error_code: 6102,
    error_type: 'PUBLISH_REFUSED',
    error_subcode: 'LIVE_VIDEO__PRIVACY_REQUIRED',
    severity: 'error',
    source: 'publish',
    refusal: { code: 100, subcode: 'LIVE_VIDEO__PRIVACY_REQUIRED', status: 400 },
    address: FROM.address,
    encoder: FROM.encoder,
    observed: 'denied-LIVE_VIDEO__PRIVACY_REQUIRED',
    count: 1,
    sequence: 1,
    cleared_time: first.timestamp,
  });
  expect(first.description).toContain('A publish was refused: [100/LIVE_VIDEO__PRIVACY_REQUIRED]');
  expect(Object.keys(first)).not.toContain('stream_time_ms');
  expect(Object.keys(first)).not.toContain('evidence');
  harness.clock.advance(70_000);
  await refusedBy(id);
  await refusedBy(id);
  const after = await errorsOf(id);
  expect(after).toMatchObject([{ id: first.id, count: 3, timestamp: first.timestamp, revision: 3 }]);
  expect(Date.parse(after[0].cleared_time)).toBeGreaterThanOrEqual(Date.parse(first.timestamp) + 70_000);
});

test('an ineligible profile, an ended broadcast and another publisher each leave a record', async () => {
  const young = await harness.owner({ kind: 'user', name: 'Young', profileAgeDays: 90, followers: 150 });
  const token = await harness.tokenOf(young);
  const created = await harness.post(`/${young}/live_videos`, { privacy: '{"value":"EVERYONE"}' }, { token });
  const key = (created.body.secure_stream_url as string).split('/').at(-1) ?? '';
  await harness.profile(young, { ageDays: 3 });
  await harness.engine.admit(key, 'live', FROM);
  const { body } = await harness.get(`/${created.body.id}/errors`, {}, { token });
  expect(body.data).toMatchObject([
    { error_code: 6102, error_subcode: 1363120, refusal: { code: 200, subcode: 1363120, status: 403 } },
  ]);

  const ended = await harness.live();
  const endedKey = await harness.keyOf(ended);
  await harness.broadcasts.request(ended, { type: 'copyright-stop', pageName: 'Another Page' });
  expect(await harness.engine.admit(endedKey, 'live', FROM)).toMatchObject({ accepted: false, reason: 'ended' });
  const refusal = { code: 368, subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION', status: 403 };
  expect((await errorsOf(ended))[0]).toMatchObject({ error_code: 6102, observed: 'ended', refusal });

  const busy = await harness.live();
  await harness.store.leases.acquire(`publish:${busy}`, 'another process', 60_000);
  await harness.store.leases.proveAlive('another process', 60_000);
  const waits = harness.engine.admit(await harness.keyOf(busy), 'live', FROM);
  expect(await waits).toMatchObject({ accepted: false, reason: 'already-publishing' });
  await until(async () => (await errorsOf(busy)).length > 0);
  expect(await errorsOf(busy)).toMatchObject([{ observed: 'already-publishing', source: 'publish' }]);
});

test('a wrong key leaves none', async () => {
  const id = await harness.live({}, harness.user);
  const wrong = `${id}-${randomBytes(20).toString('hex')}`;
  expect(await harness.engine.admit(wrong, 'live', FROM)).toMatchObject({ accepted: false, reason: 'unknown-key' });
  expect(await errorsOf(id)).toEqual([]);
});

describe('the records of one broadcast', () => {
  test('concurrent refusals are all counted', async () => {
    const id = await harness.live({}, harness.user);
    await Promise.all(Array.from({ length: 6 }, () => refusedBy(id)));
    const [record, ...others] = await errorsOf(id);
    expect([record.count, others]).toEqual([6, []]);
  });

  test('are at most 100; further refusals count on the newest of their reason', async () => {
    const id = await harness.live({}, harness.user);
    for (let number = 1; number <= 105; number += 1) await refusedBy(id, { ...FROM, address: `192.0.2.${number}` });
    const { body } = await harness.get(`/${id}/errors`, { limit: '200' });
    expect(body.data).toHaveLength(100);
    expect(body.data[0]).toMatchObject({ address: '192.0.2.100', count: 6, sequence: 100 });
  });

  test('leave health and the count of open errors alone', async () => {
    const id = await harness.live({}, harness.user);
    await refusedBy(id);
    const { body } = await harness.get(`/${id}/errors`, { summary: 'true' });
    expect(body.summary).toMatchObject({ total_count: 1, open_count: 0 });
  });
});
