/** Each way in which a publish session ends: stored state, error records, and the status sent to the encoder. */

import { Housekeeping } from '../../../src/broadcasts/housekeeping.js';
import { JudgeFactory } from '../../../src/broadcasts/judge-factory.js';
import { IDLE, REPLACED, RETUNED, unreadable } from '../../../src/broadcasts/publisher/close-reasons.js';
import { RecordCloser } from '../../../src/broadcasts/record-closer.js';
import { LEASE, RECORD_FENCES, SYSTEM_EDGES, TOPIC, toBeClosed, VOLATILE } from '../../../src/ports/index.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { raised, until } from '../../support/store-harness.js';

const MONO = { durationMs: 1000, channels: 1 };

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

/** LIVE, with one open record. */
async function running(over: Parameters<IngestHarness['publish']>[0] = {}): Promise<Stay> {
  const stay = await harness.publish(over);
  stay.send(MONO);
  await until(async () => (await harness.data(stay)).status === 'LIVE');
  expect(harness.changes()).toEqual(['raised 6304']);
  return stay;
}

const saved = ({ publication }: Stay) => harness.store.volatile.get(VOLATILE.judge(publication.liveVideoId));
const isFree = async ({ publication }: Stay) =>
  (await harness.store.leases.holder(LEASE.publish(publication.liveVideoId))) === undefined;

test('unpublish keeps records open and saves the judge for a later session', async () => {
  const stay = await running();
  await harness.publications.leave(stay.publication, 'unpublished');
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(harness.changes()).toEqual(['raised 6304']);
  expect(await saved(stay)).toMatchObject({ live: true });
  expect(await isFree(stay)).toBe(true);
  expect(stay.closings).toEqual([]);
});

test('a connection that is lost again within a minute is counted in the record at once', async () => {
  const stay = await running();
  await harness.publications.leave(stay.publication, 'lost');
  expect(harness.changes()).toEqual(['raised 6304', 'raised 6503']);
  await harness.store.records.append(harness.entries);
  harness.clock.advance(2_000);
  const again = await harness.resume(stay);
  again.send(MONO);
  await harness.publications.leave(again.publication, 'lost');
  const counted = harness.entries.filter(({ change }) => change.body.error_code === 6503).at(-1);
  expect(counted?.change).toMatchObject({ change: 'counted', body: { count: 2 } });
});

/** The encoder publishes again after its server was killed. `saves`: the next server lives until it has saved its judge. */
async function afterKill(killed: Stay, saves: boolean): Promise<Stay> {
  await harness.store.records.append(harness.entries.splice(0));
  await harness.store.leases.release(killed.lease);
  const next = await harness.resume(killed);
  next.send({ ...MONO, durationMs: 100 });
  if (saves) {
    harness.clock.advance(5_000);
    harness.tick();
    await until(async () => JSON.stringify(await saved(next))?.includes(`"fence":${next.lease.fence},`) === true);
  }
  return next;
}

test('the count of a stopped server is written with the next publish, from what the store and the checkpoint have', async () => {
  const stay = await running();
  const written = () =>
    harness.entries.flatMap(({ change: { change, body } }) =>
      body.error_code === 6503 ? [`${change} ${body.count}`] : [],
    );
  const second = await afterKill(stay, true);
  expect(written()).toEqual(['raised 1']);
  const third = await afterKill(second, true);
  expect(written()).toEqual(['counted 2']);
  const fourth = await afterKill(third, false);
  expect(written()).toEqual(['counted 3']);
  // The checkpoint knows of two.
  await afterKill(fourth, false);
  expect(written()).toEqual(['counted 4']);
});

test.each([
  [
    'since the last reported packet, and what a recording had not written',
    2_000,
    '; up to 2.5 s of the stream are missing',
  ],
  ['since the connection, after a report of an earlier one', 60_000, '; up to 3.8 s of the stream are missing'],
  ['but not without a report', undefined, ''],
] as const)('6503 says of a stopped server how much is missing: %s', async (_what, reportedMs, missing) => {
  const stay = await running();
  harness.clock.advance(2_300);
  const report = { connected: true, silentMs: 300, atMs: harness.clock.wallMs() - (reportedMs ?? 0) + 300 };
  const key = VOLATILE.health(stay.publication.liveVideoId);
  if (reportedMs !== undefined) await harness.store.volatile.set(key, report, 60_000);
  await afterKill(stay, false);
  const body = harness.entries.find(({ change }) => change.body.error_code === 6503)?.change.body;
  expect(body?.observed).toBe(`the server that received it stopped${missing}`);
  expect(body?.description).toContain(`(the server that received it stopped${missing}). No change is needed`);
});

test('records end where the encoder stopped, not at the end of the grace period', async () => {
  const stay = await running();
  await harness.store.records.append(harness.entries);
  const stoppedMs = harness.clock.wallMs();
  await harness.publications.leave(stay.publication, 'unpublished');
  harness.clock.advance(60_000);
  const deadline = { type: 'deadline', wallMs: harness.clock.wallMs(), dataFlows: false } as const;
  await harness.publications.applyEffects(await harness.states.move(stay.publication.liveVideoId, deadline));
  await until(() => harness.changes().includes('cleared 6304'));
  const cleared = harness.entries.find(({ change }) => change.change === 'cleared');
  expect(cleared?.change.body.cleared_time_ms).toBe(stoppedMs);
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endedMs: stoppedMs });
});

test.each([
  ['unpublished', false],
  ['unpublished', true],
  ['lost', false],
] as const)(
  'the silence before the encoder is %s is no part of the broadcast (ends at once: %s)',
  async (how, stopOnDeleteStream) => {
    const stay = await running({ stopOnDeleteStream });
    await harness.store.records.append(harness.entries);
    const stoppedMs = harness.clock.wallMs();
    harness.clock.advance(25_000);
    await harness.publications.leave(stay.publication, how);
    const state = await harness.data(stay);
    if (stopOnDeleteStream) {
      expect(state).toMatchObject({ status: 'LIVE_STOPPED', endedMs: stoppedMs });
    } else {
      expect(state).toMatchObject({ stream: 'interrupted', streamSinceMs: stoppedMs });
      // The encoder still has the whole grace period to come back.
      const { entries } = await harness.store.objects.page(SYSTEM_EDGES.deadlines, { limit: 1 });
      expect(entries[0]?.score).toBe(harness.clock.wallMs() + 60_000);
      harness.clock.advance(60_000);
      const deadline = { type: 'deadline', wallMs: harness.clock.wallMs(), dataFlows: false } as const;
      await harness.publications.applyEffects(await harness.states.move(stay.publication.liveVideoId, deadline));
      expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endedMs: stoppedMs });
    }
    await until(() => harness.changes().includes('cleared 6304'));
    const cleared = harness.entries.find(
      ({ change: { change, body } }) => change === 'cleared' && body.error_code === 6304,
    );
    expect(cleared?.change.body.cleared_time_ms).toBe(stoppedMs);
  },
);

test('the silence before the owner ends the broadcast is no part of it', async () => {
  const stay = await running();
  await harness.store.records.append(harness.entries);
  const stoppedMs = harness.clock.wallMs();
  harness.clock.advance(20_000);
  await harness.engine.service.request(stay.publication.liveVideoId, { type: 'end' });
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endedMs: stoppedMs });
  await until(() => harness.changes().includes('cleared 6304'));
  const cleared = harness.entries.find(({ change }) => change.change === 'cleared');
  expect(cleared?.change.body.cleared_time_ms).toBe(stoppedMs);
});

test('an end while the publisher leaves another process closes the records once its lease is free', async () => {
  const stay = await running();
  await harness.store.records.append(harness.entries);
  const { liveVideoId } = stay.publication;
  await harness.publications.leave(stay.publication, 'unpublished');
  const leaving = await harness.store.leases.acquire(LEASE.publish(liveVideoId), 'another', 60_000);
  if (leaving === undefined) throw new Error('the lease is held');
  await harness.store.leases.proveAlive('another', 60_000);
  harness.pause = () => harness.store.leases.release(leaving).then(() => true);
  await harness.engine.service.request(liveVideoId, { type: 'end' });
  expect(harness.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect((await harness.data(stay)).judgedCodes).toContain(6304);
});

test('an end of a stream in another process waits until that process announces that it closed the records', async () => {
  const stay = await running();
  await harness.store.records.append(harness.entries);
  const { liveVideoId } = stay.publication;
  await harness.publications.leave(stay.publication, 'unpublished');
  await harness.store.leases.acquire(LEASE.publish(liveVideoId), 'another', 60_000);
  await harness.store.leases.proveAlive('another', 60_000);
  const waits = new Promise<void>((resolve) => {
    harness.pause = () => {
      resolve();
      return new Promise(() => undefined);
    };
  });
  const ended = harness.engine.service.request(liveVideoId, { type: 'end' });
  await waits;
  await harness.states.keepJudged(liveVideoId, [6304]);
  await ended;
  expect(harness.changes()).toEqual(['raised 6304']);
});

test('an end after the process that received the stream died closes the records without waiting for its lease', async () => {
  const stay = await running();
  await harness.store.records.append(harness.entries);
  const { liveVideoId } = stay.publication;
  await harness.publications.leave(stay.publication, 'unpublished');
  await harness.store.leases.acquire(LEASE.publish(liveVideoId), 'dead#1', 60_000);
  harness.pause = () => Promise.resolve(false);
  await harness.engine.service.request(liveVideoId, { type: 'end' });
  expect(harness.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect((await harness.data(stay)).judgedCodes).toContain(6304);
});

test('a stream that flows ends when its owner ends it', async () => {
  const stay = await running();
  harness.clock.advance(1_000);
  const endedMs = harness.clock.wallMs();
  await harness.engine.service.request(stay.publication.liveVideoId, { type: 'end' });
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endedMs });
});

test('unpublish closes the records and stores the judged codes if it ends the broadcast', async () => {
  const stay = await running({ stopOnDeleteStream: true });
  await harness.publications.leave(stay.publication, 'unpublished');
  await until(async () => (await harness.data(stay)).judgedCodes?.includes(6304) ?? false);
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', stream: 'ended' });
  expect(harness.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(stay.closings).toEqual([]);
});

test.each([
  ['lost', ['raised 6304', 'raised 6503']],
  ['released', ['raised 6304']],
] as const)('interrupts the broadcast when %s, and raises 6503 only for a lost connection', async (how, changes) => {
  const stay = await running();
  await harness.publications.leave(stay.publication, how);
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
  expect(harness.changes()).toEqual(changes);
});

test.each([
  ['an update of the server', REPLACED, 'the server was updated', 'let the encoder reconnect'],
  ['the operator', RETUNED, 'the operator changed the encoder settings', 'let the encoder reconnect'],
  ['bytes that cannot be read', unreadable('chunk size 0', 'CHUNK_SIZE'), 'cannot read it: chunk size 0', 'update the'],
  ['silence', IDLE, 'nothing arrived for 30 s', 'Check the network'],
  ['nothing known', undefined, 'connection lost', 'Check the network'],
] as const)('6503 names %s, with its remedy', async (_, reason, observed, remedy) => {
  const stay = await running();
  await harness.publications.leave(stay.publication, 'lost', reason?.interruption);
  const body = harness.entries.find(({ change }) => change.body.error_code === 6503)?.change.body;
  expect(body?.description).toContain(observed);
  expect(body?.description).toContain(remedy);
  expect(body?.remediation).toContain(remedy);
});

test('closes the records when the connection is lost before LIVE', async () => {
  const stay = await harness.publish({ goLiveOnData: false });
  stay.send(MONO);
  await harness.publications.leave(stay.publication, 'lost');
  expect(await harness.data(stay)).toMatchObject({ status: 'UNPUBLISHED', stream: 'waiting' });
  expect(harness.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(await saved(stay)).toBeUndefined();
});

test('sends the end by the owner to the encoder and ignores the disconnect that follows', async () => {
  const stay = await running();
  const { liveVideoId } = stay.publication;
  await harness.publications.applyEffects(
    await harness.states.move(liveVideoId, { type: 'end', wallMs: harness.clock.wallMs() }),
  );
  expect(stay.closings).toMatchObject([{ kind: 'ended', record: undefined, cause: 'ended' }]);
  stay.send(MONO);
  await harness.publications.leave(stay.publication, 'lost');
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', judgedCodes: expect.any(Array) });
  expect(harness.changes()).toEqual(['raised 6304', 'cleared 6304']);
  expect(stay.closings).toHaveLength(1);
});

test('raises the record of a copyright stop and sends it to the encoder', async () => {
  const stay = await running();
  const reason = { code: 6601, type: 'COPYRIGHT_STOPPED', text: 'Some Page' };
  const stop = { type: 'stop', wallMs: harness.clock.wallMs(), reason } as const;
  await harness.publications.applyEffects(await harness.states.move(stay.publication.liveVideoId, stop));
  expect(harness.changes()).toEqual(['raised 6304', 'raised 6601', 'cleared 6304']);
  expect(stay.closings).toMatchObject([{ record: { error_code: 6601 }, cause: 'COPYRIGHT_STOPPED' }]);
});

describe('ended by the judge', () => {
  /** LIVE for eight hours; the store does not have the end yet. */
  async function overTime(): Promise<Stay> {
    const stay = await running();
    harness.clock.advance(8 * 3_600_000);
    harness.tick();
    return stay;
  }

  test('ignores further packets and stores the end before it is sent', async () => {
    const stay = await overTime();
    const before = harness.changes();
    expect(before).toContain('raised 6501');
    stay.send({ ...MONO, videoKbps: 20_000 });
    expect(harness.changes()).toEqual(before);
    expect(stay.closings).toEqual([]);
    await harness.publications.leave(stay.publication, 'lost');
    expect(await harness.data(stay)).toMatchObject({ status: 'LIVE_STOPPED', endReason: { code: 6501 } });
    expect(harness.changes()).toContain('cleared 6304');
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
    harness.clock.advance(11_000);
    expect(
      await harness.store.leases.acquire(LEASE.publish(stay.publication.liveVideoId), 'another', 10_000),
    ).toBeDefined();
    return stay;
  }

  test('closes with lease-lost and leaves records and checkpoint to the other process', async () => {
    const stay = await superseded();
    await harness.store.volatile.set(VOLATILE.judge(stay.publication.liveVideoId), 'of the other', 60_000);
    await harness.publications.renewLeases();
    expect(stay.closings).toMatchObject([{ cause: 'lease-lost' }]);
    const before = harness.changes();
    stay.publication.end(undefined);
    await harness.publications.leave(stay.publication, 'lost');
    expect(harness.changes()).toEqual(before);
    expect(await saved(stay)).toBe('of the other');
    expect(await harness.data(stay)).toMatchObject({ stream: 'connected' });
    expect(stay.closings).toHaveLength(1);
  });

  test('sends no lease-lost to a connection that has unpublished meanwhile', async () => {
    const stay = await superseded();
    const renewing = harness.publications.renewLeases();
    await harness.publications.leave(stay.publication, 'unpublished');
    await renewing;
    expect(stay.closings).toEqual([]);
  });
});

test('announcements do not shorten the wait for the lease of a broadcast that was ended', async () => {
  const { live } = await harness.admit();
  let looks = 0;
  let isFree = false;
  const judges = {
    withLease: async () => {
      looks++;
      return isFree;
    },
    openRecords: async () => [],
  };
  let resume: (goesOn: boolean) => void = () => undefined;
  const pause = () =>
    new Promise<boolean>((resolve) => {
      resume = resolve;
    });
  const closed = new RecordCloser({ store: harness.store, pause }, harness.states, judges).close(live, undefined);
  for (let announced = 0; announced < 20; announced++) {
    await until(() => looks === announced + 1);
    await harness.store.bus.publish(TOPIC.state, { liveVideoId: live.id });
  }
  await until(() => looks === 21);
  isFree = true;
  resume(true);
  await closed;
  expect(looks).toBe(22);
});

describe('records that are open after the end', () => {
  const sweep = () => {
    const { deps, states, publications, engine } = harness;
    return new Housekeeping(deps, states, new JudgeFactory(deps), publications, engine.presence).sweepClosing();
  };
  const listed = async () => (await harness.store.objects.page(SYSTEM_EDGES.closing, { limit: 10 })).entries.length;
  const stored = () => harness.store.records.append(harness.entries.splice(0));

  /** The process that ended it died before it closed the records. */
  async function leftOpen(): Promise<{ readonly id: string; readonly endedMs: number }> {
    const stay = await running();
    await stored();
    const id = stay.publication.liveVideoId;
    const endedMs = harness.clock.wallMs();
    await harness.states.move(id, { type: 'end', wallMs: endedMs });
    await harness.store.leases.release(stay.lease);
    return { id, endedMs };
  }

  test('are closed by another process when the one that ended the broadcast died', async () => {
    const { id, endedMs } = await leftOpen();
    harness.clock.advance(9_000);
    await sweep();
    expect(harness.changes()).toEqual([]);
    harness.clock.advance(1_000);
    await sweep();
    expect(harness.changes()).toEqual(['cleared 6304']);
    expect(harness.entries[0]?.change.body.cleared_time_ms).toBe(endedMs);
    expect((await harness.states.load(id)).data.judgedCodes).toContain(6304);
    // Listed until the store has the record as cleared.
    expect(await listed()).toBe(1);
    await stored();
    await sweep();
    expect(await listed()).toBe(0);
    expect(harness.changes()).toEqual([]);
  });

  test('are closed when they were stored late', async () => {
    const { id, endedMs } = await leftOpen();
    harness.clock.advance(10_000);
    await sweep();
    await stored();
    await sweep();
    await harness.store.records.append([raised(id, 1, 7)]);
    await harness.store.objects.commit([toBeClosed(id, harness.clock.wallMs())]);
    harness.clock.advance(10_000);
    await sweep();
    const [cleared] = harness.entries;
    expect(cleared?.change).toMatchObject({ change: 'cleared', body: { id: raised(id, 1, 7).change.body.id } });
    expect(cleared?.change.body.cleared_time_ms).toBeGreaterThanOrEqual(endedMs);
    await stored();
    expect((await harness.store.records.counts(id)).open).toBe(0);
  });

  test('stay open if no judge raised them', async () => {
    const { id } = await leftOpen();
    harness.clock.advance(10_000);
    await sweep();
    await harness.store.records.append([raised(id, RECORD_FENCES.unjudged.min, 1)]);
    await stored();
    await sweep();
    expect(await listed()).toBe(0);
    expect((await harness.store.records.counts(id)).open).toBe(1);
  });

  test('the process that receives a broadcast clears records of an earlier publish that came late', async () => {
    const stay = await harness.publish({ status: 'LIVE', liveSinceMs: harness.clock.wallMs() }, 0);
    const id = stay.publication.liveVideoId;
    const takenOver = await harness.store.leases.takeOver(stay.lease, harness.deps.holder, 10_000);
    expect(takenOver?.fence).toBe(2);
    await harness.publications.leave(stay.publication, 'lost');
    harness.entries.splice(0);
    const next = await harness.resume(stay);
    await harness.store.records.append([raised(id, 1, 7)]);
    await harness.store.objects.commit([toBeClosed(id, harness.clock.wallMs() - 10_000)]);
    await sweep();
    expect(next.lease.fence).toBeGreaterThan(1);
    expect(harness.changes()).toEqual(['cleared 6208']);
    expect(await listed()).toBe(0);
  });

  test('are looked for when an encoder publishes again', async () => {
    const stay = await running();
    await harness.publications.leave(stay.publication, 'lost');
    expect(await listed()).toBe(0);
    await harness.store.leases.takeOver(stay.lease, harness.deps.holder, 10_000);
    await harness.resume(stay);
    await until(async () => (await listed()) === 1);
  });

  test('a broadcast that goes on, and one that was deleted, are listed no more', async () => {
    const stay = await running();
    const at = harness.clock.wallMs();
    await harness.store.objects.commit([toBeClosed(stay.publication.liveVideoId, at), toBeClosed('deleted', at)]);
    harness.clock.advance(10_000);
    await sweep();
    expect(await listed()).toBe(0);
    expect(harness.changes()).toEqual(['raised 6304']);
  });
});

describe('a failover loses the newest changes of a broadcast', () => {
  /** The store has the state of before again, in the version that it gives next. */
  async function lose(stay: Stay, lost: object): Promise<void> {
    const { id, kind, createdMs, updatedMs, data } = await harness.states.load(stay.publication.liveVideoId);
    await harness.store.objects.commit([
      { op: 'put', object: { id, kind, createdMs, updatedMs, data: { ...data, ...lost } } },
    ]);
  }

  test.each([
    ['that it is LIVE', { status: 'UNPUBLISHED', goLiveOnData: false, broadcastStartMs: undefined }],
    ['the publish', { stream: 'interrupted', publishFence: undefined }],
    ['both', { status: 'UNPUBLISHED', stream: 'waiting', publishFence: undefined }],
  ])('%s: the publication stores it again', async (_what, lost) => {
    const stay = await running();
    const before = await harness.data(stay);
    await lose(stay, lost);
    stay.publication.confirm();
    await until(async () => {
      const { status, stream } = await harness.data(stay);
      return status === 'LIVE' && stream === 'connected';
    });
    const { broadcastStartMs, publishFence } = await harness.data(stay);
    expect({ broadcastStartMs, publishFence }).toEqual({
      broadcastStartMs: before.broadcastStartMs,
      publishFence: before.publishFence,
    });
  });

  test('and gives the version of a lost state to another one: the publication writes on that one', async () => {
    const stay = await running();
    const id = stay.publication.liveVideoId;
    const { version, data, ...object } = await harness.states.load(id);
    await harness.store.objects.commit([{ op: 'delete', id }]);
    const put = { op: 'put', object: { ...object, data: { ...data, title: 'edited meanwhile' } } } as const;
    for (let times = 0; times < version; times += 1) await harness.store.objects.commit([put]);
    expect(await harness.states.load(id)).toMatchObject({ version });
    stay.publication.confirm();
    await harness.publications.leave(stay.publication, 'lost');
    expect(await harness.data(stay)).toMatchObject({ stream: 'interrupted', title: 'edited meanwhile' });
  });

  test('nothing: it writes nothing', async () => {
    const stay = await running();
    const { version } = await harness.states.load(stay.publication.liveVideoId);
    stay.publication.confirm();
    await harness.publications.leave(stay.publication, 'unpublished');
    // Only the end of the session.
    expect((await harness.states.load(stay.publication.liveVideoId)).version).toBe(version + 1);
  });
});
