/** Each way in which a publish session ends: stored state, error records, and the status sent to the encoder. */
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

test('unpublish keeps records open and saves the judge for a later session', async () => {
  const stay = await running();
  await world.publications.leave(stay.publication, 'unpublished');
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(world.changes()).toEqual(['raised 6304']);
  expect(await saved(stay)).toMatchObject({ live: true });
  expect(await isFree(stay)).toBe(true);
  expect(stay.closings).toEqual([]);
});

test('unpublish closes the records and stores the judged codes if it ends the broadcast', async () => {
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
] as const)('interrupts the broadcast when %s, and raises 6503 only for a lost connection', async (how, changes) => {
  const stay = await running();
  await world.publications.leave(stay.publication, how);
  expect(await world.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(world.changes()).toEqual(changes);
});

test('closes the records when the connection is lost before LIVE', async () => {
  const stay = await world.publish({ goLiveOnData: false });
  stay.send(MONO);
  await world.publications.leave(stay.publication, 'lost');
  expect(await world.data(stay)).toMatchObject({ status: 'UNPUBLISHED', stream: 'waiting' });
  expect(world.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(await saved(stay)).toBeUndefined();
});

test('sends the end by the owner to the encoder and ignores the disconnect that follows', async () => {
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

test('raises the record of a copyright stop and sends it to the encoder', async () => {
  const stay = await running();
  const reason = { code: 6601, type: 'COPYRIGHT_STOPPED', text: 'Some Page' };
  const stop = { type: 'stop', wallMs: world.clock.wallMs(), reason } as const;
  await world.publications.applyEffects(await world.states.move(stay.publication.liveVideoId, stop));
  expect(world.changes()).toEqual(['raised 6304', 'raised 6601', 'cleared 6304']);
  expect(stay.closings).toMatchObject([{ record: { error_code: 6601 }, cause: 'COPYRIGHT_STOPPED' }]);
});

describe('ended by the judge', () => {
  /** LIVE for eight hours; the store does not have the end yet. */
  async function overTime(): Promise<Stay> {
    const stay = await running();
    world.clock.advance(8 * 3_600_000);
    world.tick();
    return stay;
  }

  test('ignores further packets and stores the end before it is sent', async () => {
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

  test('sends the end to a connected encoder', async () => {
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

  test('closes with lease-lost and leaves records and checkpoint to the other process', async () => {
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

  test('sends no lease-lost to a connection that has unpublished meanwhile', async () => {
    const stay = await superseded();
    const renewing = world.publications.renewLeases();
    await world.publications.leave(stay.publication, 'unpublished');
    await renewing;
    expect(stay.closings).toEqual([]);
  });
});
