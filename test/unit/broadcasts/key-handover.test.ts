/** A publish meets another publisher: two processes on one store, by a clock that the test sets. */

import { BroadcastEngine } from '../../../src/broadcasts/broadcast-engine.js';
import type { ReceivingDeps } from '../../../src/broadcasts/deps.js';
import { Housekeeping } from '../../../src/broadcasts/housekeeping.js';
import { JudgeFactory } from '../../../src/broadcasts/judge-factory.js';
import type { Admission } from '../../../src/broadcasts/publish-gate.js';
import type { CloseReason } from '../../../src/broadcasts/publisher/close-reasons.js';
import {
  LEASE,
  type LeaseStore,
  type Store,
  StoreUnavailableError,
  VOLATILE,
  type VolatileStore,
} from '../../../src/ports/index.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';

const FROM = { address: '192.0.2.7', encoder: 'FMLE/3.0' };
const STREAM = { durationMs: 500, videoKbps: 300, width: 640, height: 360, levelIdc: 30 };

let harness: IngestHarness;
/** Called at each look of a held publish, after time has passed. */
let onLook: (waitedMs: number) => void | Promise<void>;
const engines: BroadcastEngine[] = [];

beforeEach(async () => {
  harness = await IngestHarness.open();
  onLook = () => undefined;
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await harness.close();
});

/** Another process on the same store; its signs of life are given for as long as the clock of the harness runs. */
async function process(holder: string, over: Partial<ReceivingDeps> = {}): Promise<BroadcastEngine> {
  let waitedMs = 0;
  const deps: ReceivingDeps = {
    ...harness.deps,
    holder,
    pause: async (ms) => {
      harness.clock.advance(ms);
      waitedMs += ms;
      await prove(holder);
      await onLook(waitedMs);
      // Messages of the bus arrive in a later turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      return true;
    },
    ...over,
  };
  const engine = new BroadcastEngine(deps);
  engines.push(engine);
  await engine.presence.start();
  harness.clock.advance(1_500);
  return engine;
}

/** The store of the harness with some calls of its leases replaced. */
function storeWith(over: Partial<LeaseStore>): Store {
  const { leases } = harness.store;
  const forwarding: LeaseStore = {
    acquire: (...args) => leases.acquire(...args),
    renew: (...args) => leases.renew(...args),
    reclaim: (...args) => leases.reclaim(...args),
    release: (...args) => leases.release(...args),
    holder: (...args) => leases.holder(...args),
    takeOver: (...args) => leases.takeOver(...args),
    proveAlive: (...args) => leases.proveAlive(...args),
    isAlive: (...args) => leases.isAlive(...args),
  };
  return Object.assign(Object.create(harness.store), { leases: { ...forwarding, ...over } });
}

const prove = (holder: string) => harness.store.leases.proveAlive(holder, 1_500);

async function streaming(): Promise<Stay> {
  const stay = await harness.publish();
  stay.send(STREAM);
  await until(async () => (await harness.data(stay)).status === 'LIVE');
  await prove('this process');
  return stay;
}

const idOf = (stay: Stay) => stay.publication.liveVideoId;

const holderOf = async (stay: Stay) => (await harness.store.leases.holder(LEASE.publish(idOf(stay))))?.holder;

function admit(engine: BroadcastEngine, id: string, isWaiting = () => true) {
  const startMs = harness.clock.monotonicMs();
  return engine
    .admit(id, 'live', FROM, isWaiting)
    .then((verdict) => ({ verdict, waitedMs: harness.clock.monotonicMs() - startMs }));
}

function publishIn(engine: BroadcastEngine, admission: Admission) {
  const closings: CloseReason[] = [];
  const channel = { notify: () => undefined, closeWith: (reason: CloseReason) => closings.push(reason) };
  return engine.start(admission, channel, { secure: true, clientName: '' }, harness.deps.log);
}

async function accepted(verdict: Awaited<ReturnType<BroadcastEngine['admit']>>): Promise<Admission> {
  if (!verdict.accepted) throw new Error(`refused: ${verdict.reason}`);
  return verdict;
}

test('is refused after 5 s, with a record, while the holder keeps sending', async () => {
  const other = await process('other');
  const stay = await streaming();
  onLook = async () => {
    await prove('this process');
    stay.beat();
  };
  const { verdict, waitedMs } = await admit(other, idOf(stay));
  expect(verdict).toMatchObject({ accepted: false, reason: 'already-publishing' });
  expect(waitedMs).toBe(5_000);
  expect(harness.entries.map(({ change }) => change.body.observed)).toContain('already-publishing');
  expect(stay.closings).toEqual([]);
});

test('is accepted as soon as the process of the holder is silent, 1.5 s after its last sign', async () => {
  const other = await process('other');
  const stay = await streaming();
  const { verdict, waitedMs } = await admit(other, idOf(stay));
  const admission = await accepted(verdict);
  expect(waitedMs).toBeLessThanOrEqual(2_000);
  expect(admission.lease.fence).toBeGreaterThan(stay.lease.fence);
  expect(harness.entries).toEqual([]);
});

test('is accepted at once when the process of the holder has been dead for longer', async () => {
  const other = await process('other');
  const stay = await streaming();
  harness.clock.advance(1_500);
  const { verdict, waitedMs } = await admit(other, idOf(stay));
  await accepted(verdict);
  expect(waitedMs).toBe(0);
});

test('is accepted when the holder unpublishes during the wait, and is no takeover', async () => {
  const other = await process('other');
  const stay = await streaming();
  onLook = async (waitedMs) => {
    await prove('this process');
    stay.beat();
    if (waitedMs === 4_500) await harness.publications.leave(stay.publication, 'unpublished');
  };
  const { verdict, waitedMs } = await admit(other, idOf(stay));
  expect(await accepted(verdict)).toMatchObject({ tookOver: false });
  expect(waitedMs).toBeLessThanOrEqual(5_000);
  expect(harness.changes()).toEqual([]);
});

test('takes the key over from a publisher that has been silent for 3 s, in another process and in its own', async () => {
  const other = await process('other');
  for (const engine of [harness.engine, other]) {
    const stay = await streaming();
    onLook = async () => {
      await prove('this process');
      // The holder's write of the disconnect takes real time.
      if (stay.closings.length > 0) await until(async () => (await holderOf(stay)) === undefined);
    };
    if (engine === harness.engine) harness.clock.advance(3_000);
    const { verdict } = await admit(engine, idOf(stay));
    expect(await accepted(verdict)).toMatchObject({ tookOver: true });
    expect(stay.closings).toMatchObject([{ kind: 'taken-over' }]);
  }
});

test('takes nothing over once its encoder has given up', async () => {
  const other = await process('other');
  const stay = await streaming();
  let isWaiting = true;
  onLook = async (waitedMs) => {
    await prove('this process');
    if (waitedMs === 1_000) isWaiting = false;
  };
  await admit(other, idOf(stay), () => isWaiting);
  expect(stay.closings).toEqual([]);
  expect(await holderOf(stay)).toBe('this process');
});

test('is held while the store is away', async () => {
  const { leases } = harness.store;
  let isAway = true;
  const away = async () => {
    throw new StoreUnavailableError('away');
  };
  const { live, lease } = await harness.admit();
  await leases.release(lease);
  const store = storeWith({ acquire: (...args) => (isAway ? away() : leases.acquire(...args)) });
  const other = await process('other', { store });
  onLook = (waitedMs) => {
    if (waitedMs === 3_000) isAway = false;
  };
  const { verdict, waitedMs } = await admit(other, live.id);
  const admission = await accepted(verdict);
  expect(waitedMs).toBe(3_000);
  await other.release(admission);
  isAway = true;
  expect((await admit(other, live.id)).verdict).toMatchObject({ accepted: false, reason: 'store-away' });
});

test('is held while another publish of its own process takes the key, and gets it if that one gives up', async () => {
  const { live, lease } = await harness.admit();
  await harness.store.leases.release(lease);
  const other = await process('other');
  const first = await accepted((await admit(other, live.id)).verdict);
  expect((await admit(other, live.id)).verdict).toMatchObject({ accepted: false, reason: 'already-publishing' });
  onLook = async (waitedMs) => {
    if (waitedMs >= 1_000) await other.release(first);
  };
  await accepted((await admit(other, live.id)).verdict);
});

test('gets another fence than the publish before, whose release the store never got', async () => {
  const { live, lease } = await harness.admit();
  await harness.store.leases.release(lease);
  const { leases } = harness.store;
  const other = await process('other');
  const session = await publishIn(other, await accepted((await admit(other, live.id)).verdict));
  const before = await leases.holder(LEASE.publish(live.id));
  await session.leave('lost');
  await leases.reclaim(before!, 10_000);
  const { lease: after } = await accepted((await admit(other, live.id)).verdict);
  expect(after.fence).toBeGreaterThan(before!.fence);
});

test('is asked to try again, not refused for another encoder, when the holder may have died with the store', async () => {
  const { leases } = harness.store;
  const { live, lease } = await harness.admit();
  await leases.release(lease);
  await leases.acquire(LEASE.publish(live.id), 'dead', 60_000);
  const proveAlive = async () => {
    throw new StoreUnavailableError('away');
  };
  const other = await process('other', { store: storeWith({ proveAlive }) });
  expect((await admit(other, live.id)).verdict).toMatchObject({ accepted: false, reason: 'store-away' });
  await prove('dead');
  onLook = () => prove('dead');
  expect((await admit(other, live.id)).verdict).toMatchObject({ accepted: false, reason: 'already-publishing' });
});

test.each([
  ['closed its connections', 0, 2_000],
  ['gave no answer', 2_500, 4_500],
])(
  'after an outage in which the store %s, is held until a living holder must be back',
  async (_how, takesMs, dueMs) => {
    const { live, lease } = await harness.admit();
    const { leases } = harness.store;
    await leases.release(lease);
    await leases.acquire(LEASE.publish(live.id), 'dead', 60_000);
    let backMs: number | undefined;
    const proveAlive: LeaseStore['proveAlive'] = async (...args) => {
      if (backMs !== undefined) return leases.proveAlive(...args);
      harness.clock.advance(takesMs);
      throw new StoreUnavailableError('away');
    };
    const other = await process('other', { store: storeWith({ proveAlive }) });
    onLook = (waitedMs) => {
      if (waitedMs === 3_000) backMs = harness.clock.monotonicMs();
      if (waitedMs >= 3_000) other.presence.tick(harness.clock.monotonicMs());
    };
    await accepted((await admit(other, live.id)).verdict);
    const sinceMs = harness.clock.monotonicMs() - (backMs ?? 0);
    expect(sinceMs).toBeGreaterThanOrEqual(dueMs);
    expect(sinceMs).toBeLessThan(dueMs + 500);
  },
);

test('is held for longer while calls of the embedded store time out', async () => {
  const { leases } = harness.store;
  let calls = 0;
  const slow: Pick<LeaseStore, 'acquire'> = {
    acquire: (...args) => {
      calls += 1;
      if (calls === 4) return leases.acquire(...args);
      harness.clock.advance(2_500);
      throw new StoreUnavailableError('the store process did not respond in time');
    },
  };
  const { live, lease } = await harness.admit();
  await leases.release(lease);
  const store = Object.assign(Object.create(harness.store), {
    leases: Object.assign(Object.create(leases), slow),
  });
  const other = await process('other', { store });
  const { verdict, waitedMs } = await admit(other, live.id);
  const admission = await accepted(verdict);
  expect(waitedMs).toBe(7_800);
  await other.release(admission);
  calls = 4;
  const refused = await admit(other, live.id);
  expect(refused.verdict).toMatchObject({ accepted: false, reason: 'store-away' });
  expect(refused.waitedMs).toBe(12_900);
});

describe('a holder that wakes after another process took its broadcast over', () => {
  async function takenOver(): Promise<{ stay: Stay; before: string[] }> {
    const other = await process('other');
    await harness.engine.presence.start();
    const stay = await streaming();
    harness.clock.advance(4_000);
    await prove('other');
    const { verdict } = await admit(other, idOf(stay));
    const session = await publishIn(other, await accepted(verdict));
    expect(session.target).toBeDefined();
    return { stay, before: harness.changes() };
  }

  test('writes no record for what arrives, and closes the connection with the reason', async () => {
    const { stay, before } = await takenOver();
    // A fault that raises a record as soon as it is judged.
    stay.send({ ...STREAM, channels: 1, durationMs: 3_000 });
    await until(() => stay.closings.length > 0);
    expect(stay.closings).toMatchObject([{ kind: 'lease-lost', description: expect.stringContaining('Reconnect') }]);
    expect(harness.changes()).toEqual(before);
    expect(await harness.data(stay)).toMatchObject({ stream: 'connected' });
  });

  test('changes no state when its encoder has left meanwhile', async () => {
    const { stay, before } = await takenOver();
    await harness.publications.leave(stay.publication, 'lost');
    expect(harness.changes()).toEqual(before);
    expect(await harness.data(stay)).toMatchObject({ status: 'LIVE', stream: 'connected' });
  });
});

test('a process that stood still for a moment keeps its records when it still has the lease', async () => {
  await harness.engine.presence.start();
  const stay = await streaming();
  harness.clock.advance(1_000);
  stay.send({ ...STREAM, channels: 1, durationMs: 1_000 });
  await until(() => harness.changes().includes('raised 6304'));
  expect(stay.closings).toEqual([]);
});

test('the sweep says how much is missing of a broadcast whose holder died', async () => {
  const stay = await streaming();
  await harness.store.leases.release(stay.lease);
  const other = await process('other');
  const report = { ...stay.publication.health(), silentMs: 0 };
  await harness.store.volatile.set(VOLATILE.health(idOf(stay)), report, 30_000);
  harness.clock.advance(2_000);
  const deps = { ...harness.deps, holder: 'other' };
  await new Housekeeping(deps, harness.states, new JudgeFactory(deps), other.publications, other.presence).sweepLost();
  const observed = harness.entries.flatMap(({ change: { body } }) => (body.error_code === 6503 ? body.observed : []));
  expect(observed).toEqual(['the server that received it stopped; up to 2.5 s of the stream are missing']);
});

describe('the sweep recovers a broadcast whose holder died, while its encoder publishes again', () => {
  /** A LIVE broadcast whose process was killed: the store still has it as connected. */
  async function orphan(): Promise<string> {
    const stay = await harness.publish({ status: 'LIVE', liveSinceMs: harness.clock.wallMs() });
    await until(async () => (await harness.data(stay)).stream === 'connected');
    return idOf(stay);
  }

  const sweepOf = (engine: BroadcastEngine, deps: ReceivingDeps) =>
    new Housekeeping(deps, harness.states, new JudgeFactory(deps), engine.publications, engine.presence).sweepLost();

  const stateOf = async (id: string) => (await harness.states.load(id)).data.stream;

  async function keepsTheKey(
    id: string,
    engine: BroadcastEngine,
    verdict: Awaited<ReturnType<typeof admit>>['verdict'],
  ) {
    const admission = await accepted(verdict);
    await publishIn(engine, admission);
    return async () => {
      expect(await stateOf(id)).toBe('connected');
      expect(await harness.store.leases.holder(LEASE.publish(id))).toEqual(admission.lease);
      expect(harness.changes().filter((change) => change === 'raised 6503')).toHaveLength(1);
    };
  }

  test('in the same process: the publish does not share the lease of the sweep', async () => {
    const id = await orphan();
    const { leases } = harness.store;
    let taken: ReturnType<typeof admit> | undefined;
    let resume = () => undefined as unknown;
    const looked = new Promise((resolve) => {
      resume = () => resolve(undefined);
    });
    const other = await process('other');
    let sweeping = Promise.resolve();
    onLook = () => {
      resume();
      return sweeping;
    };
    harness.clock.advance(2_000);
    await prove('other');
    const store = storeWith({
      takeOver: async (...args) => {
        const lease = await leases.takeOver(...args);
        taken ??= admit(other, id);
        await Promise.race([taken, looked]);
        return lease;
      },
    });
    sweeping = sweepOf(other, { ...harness.deps, holder: 'other', store });
    await sweeping;
    const { verdict, waitedMs } = await taken!;
    expect(waitedMs).toBeLessThan(1_000);
    await (await keepsTheKey(id, other, verdict))();
  });

  test('in another process, which took the lease from a sweep that stood still: the sweep changes no state', async () => {
    const id = await orphan();
    const [sweeper, other] = [await process('sweeper'), await process('other')];
    harness.clock.advance(2_000);
    await Promise.all([prove('sweeper'), prove('other')]);
    let check = async () => undefined as unknown;
    const own = harness.store.volatile;
    const volatile: VolatileStore = {
      set: (...args) => own.set(...args),
      setIn: (...args) => own.setIn(...args),
      getIn: (...args) => own.getIn(...args),
      get: async (key) => {
        if (key !== VOLATILE.health(id)) return own.get(key);
        harness.clock.advance(2_000);
        await prove('other');
        check = await keepsTheKey(id, other, (await admit(other, id)).verdict);
        return undefined;
      },
    };
    const store = Object.assign(Object.create(harness.store), { volatile });
    await sweepOf(sweeper, { ...harness.deps, holder: 'sweeper', store });
    await check();
  });
});
