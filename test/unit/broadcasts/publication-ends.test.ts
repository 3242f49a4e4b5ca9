/** Each way in which an encoder's stay ends: what the store has, what the records say, what the encoder is told. */
import { LEASE, VOLATILE } from '../../../src/ports/index.js';
import { IngestWorld, type Stay } from '../../support/ingest-world.js';
import { until } from '../../support/store-world.js';

const MONO = { durationMs: 1000, channels: 1 };

let world: IngestWorld;
beforeEach(async () => {
  world = await IngestWorld.open();
});
afterEach(() => world.close());

/** LIVE, with one open record. */
async function running(over: Parameters<IngestWorld['publish']>[0] = {}): Promise<Stay> {
  const stay = await world.publish(over);
  stay.send(MONO);
  await until(async () => (await world.data(stay)).status === 'LIVE');
  expect(world.changes()).toEqual(['raised 6304']);
  return stay;
}

const saved = ({ publication }: Stay) => world.store.volatile.get(VOLATILE.judge(publication.liveVideoId));
const isFree = async ({ publication }: Stay) =>
  (await world.store.leases.holder(LEASE.publish(publication.liveVideoId))) === undefined;

test('unpublished in order: it may come back, so its records stay open and its judge is kept', async () => {
  const stay = await running();
  await world.publications.leave(stay.publication, 'unpublished');
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(world.changes()).toEqual(['raised 6304']);
  expect(await saved(stay)).toMatchObject({ live: true });
  expect(await isFree(stay)).toBe(true);
  expect(stay.closings).toEqual([]);
});

test('unpublished where that ends the broadcast: the records are closed and what was judged is kept', async () => {
  const stay = await running({ stopOnDeleteStream: true });
  await world.publications.leave(stay.publication, 'unpublished');
  await until(async () => (await world.data(stay)).judgedCodes?.includes(6304) ?? false);
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', stream: 'ended' });
  expect(world.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(stay.closings).toEqual([]);
});

test.each([
  ['lost', ['raised 6304', 'raised 6503']],
  ['released', ['raised 6304']],
] as const)('%s: interrupted, and only a loss is a fault', async (how, changes) => {
  const stay = await running();
  await world.publications.leave(stay.publication, how);
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(world.changes()).toEqual(changes);
});

test('lost before it was LIVE: a trial that is over', async () => {
  const stay = await world.publish({ goLiveOnData: false });
  stay.send(MONO);
  await world.publications.leave(stay.publication, 'lost');
  expect(await world.data(stay)).toMatchObject({ status: 'UNPUBLISHED', stream: 'waiting' });
  expect(world.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(await saved(stay)).toBeUndefined();
});

test('ended by its owner: the encoder is told, and its going changes nothing any more', async () => {
  const stay = await running();
  const { liveVideoId } = stay.publication;
  await world.publications.applyEffects(
    await world.states.move(liveVideoId, { type: 'end', wallMs: world.clock.wallMs() }),
  );
  expect(stay.closings).toMatchObject([{ kind: 'ended', record: undefined, cause: 'ended' }]);
  stay.send(MONO);
  await world.publications.leave(stay.publication, 'lost');
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', judgedCodes: expect.any(Array) });
  expect(world.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(stay.closings).toHaveLength(1);
});

test('stopped for its content: the record of the end is made, and the encoder is told that', async () => {
  const stay = await running();
  const reason = { code: 6601, type: 'COPYRIGHT_STOPPED', text: 'Some Page' };
  const stop = { type: 'stop', wallMs: world.clock.wallMs(), reason } as const;
  await world.publications.applyEffects(await world.states.move(stay.publication.liveVideoId, stop));
  expect(world.changes()).toEqual(['raised 6304', 'raised 6601', 'cleared 6304']);
  expect(stay.closings).toMatchObject([{ record: { error_code: 6601 }, cause: 'COPYRIGHT_STOPPED' }]);
});

describe('ended by the judge', () => {
  /** LIVE for eight hours; the store is not told yet. */
  async function overTime(): Promise<Stay> {
    const stay = await running();
    world.clock.advance(8 * 3_600_000);
    world.tick();
    return stay;
  }

  test('packets count no more, and the end is said once it stands', async () => {
    const stay = await overTime();
    const before = world.changes();
    expect(before).toContain('raised 6501');
    stay.send({ ...MONO, videoKbps: 20_000 });
    expect(world.changes()).toEqual(before);
    expect(stay.closings).toEqual([]);
    await world.publications.leave(stay.publication, 'lost');
    expect(await world.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endReason: { code: 6501 } });
    expect(world.changes()).toContain('cleared 6304');
  });

  test('and told to the encoder that is still there', async () => {
    const stay = await overTime();
    await until(() => stay.closings.length > 0);
    expect(stay.closings).toMatchObject([{ record: { error_code: 6501 }, cause: 'DURATION_EXCEEDED' }]);
  });
});

describe('another process holds the key', () => {
  async function superseded(): Promise<Stay> {
    const stay = await running();
    world.clock.advance(11_000);
    expect(
      await world.store.leases.acquire(LEASE.publish(stay.publication.liveVideoId), 'another', 10_000),
    ).toBeDefined();
    return stay;
  }

  test('told so; records and saved judge are that one’s', async () => {
    const stay = await superseded();
    await world.store.volatile.set(VOLATILE.judge(stay.publication.liveVideoId), 'of the other', 60_000);
    await world.publications.renewLeases();
    expect(stay.closings).toMatchObject([{ cause: 'lease-lost' }]);
    const before = world.changes();
    stay.publication.end(undefined);
    await world.publications.leave(stay.publication, 'lost');
    expect(world.changes()).toEqual(before);
    expect(await saved(stay)).toBe('of the other');
    expect(await world.data(stay)).toMatchObject({ stream: 'connected' });
    expect(stay.closings).toHaveLength(1);
  });

  test('a connection that unpublished meanwhile is not told: it may be publishing something else by now', async () => {
    const stay = await superseded();
    const renewing = world.publications.renewLeases();
    await world.publications.leave(stay.publication, 'unpublished');
    await renewing;
    expect(stay.closings).toEqual([]);
  });
});
