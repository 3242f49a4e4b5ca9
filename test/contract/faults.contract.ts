/** A store that is away, that hangs and that fails over: real stores and the models of the simulation (test/simulation) behave alike. */
import { codeOf } from '../../src/lib/errors.js';
import { LEASE, type Store, StoreUnavailableError, TOPIC } from '../../src/ports/index.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import { memoryLog, raised, realClock, until } from '../support/store-harness.js';
import { put } from './objects.contract.js';
import { freshId } from './store.contract.js';

export interface FaultyStore {
  /** Two connections of different processes. */
  stores(): Promise<readonly [Store, Store]>;
  /** It refuses connections, or keeps them without an answer, until the result is called. */
  leave(how: 'refuses' | 'hangs'): Promise<() => Promise<void>>;
  /** Leases live in its process. */
  readonly losesLeases: boolean;
  /** Processes read it themselves, also while it is away. */
  readonly isReadDirectly: boolean;
}

/** Calls that need its process. */
const writes = (store: Store, id: string): readonly (() => Promise<unknown>)[] => [
  () => store.objects.commit([put(id, 1)]),
  () => store.records.append([raised(id, 1, 1)]),
  () => store.leases.acquire(LEASE.publish(id), 'one', 60_000),
  () => store.leases.holder(LEASE.publish(id)),
  () => store.leases.proveAlive('one', 1_500),
  () => store.volatile.set(id, 1, 60_000),
  () => store.ping(),
];

const refused = async (calls: readonly (() => Promise<unknown>)[]): Promise<void> => {
  await Promise.all(calls.map((call) => expect(call()).rejects.toBeInstanceOf(StoreUnavailableError)));
};

/** How the process of a store leaves, as `FaultyStore` has it. */
export async function leave(
  server: { freeze(): void; thaw(): void; kill(): Promise<void>; restart(): Promise<void> },
  how: 'refuses' | 'hangs',
): Promise<() => Promise<void>> {
  if (how === 'hangs') {
    server.freeze();
    return async () => server.thaw();
  }
  await server.kill();
  return () => server.restart();
}

/** A journal before the store, and the records that the store announced. */
export async function heardJournal(store: Store, dataDir: string) {
  const stored: StoredRecord[] = [];
  store.bus.subscribe(TOPIC.records, (message) => {
    stored.push(...(message as { readonly records: readonly StoredRecord[] }).records);
  });
  return { stored, journal: await ErrorJournal.open({ dataDir, store, log: memoryLog(), clock: realClock }) };
}

export function faultsContract(name: string, faulty: FaultyStore): void {
  describe(`${name} store`, () => {
    test('refuses calls while it is away, and has what it acknowledged when it returns', async () => {
      const [store, other] = await faulty.stores();
      const heard: boolean[] = [];
      store.onAvailability((available) => heard.push(available));
      const id = freshId();
      const key = LEASE.publish(id);
      const lease = await store.leases.acquire(key, 'one', 600_000);
      if (lease === undefined) throw new Error('the lease is taken');
      await store.objects.commit([put(id, 1, 0), { op: 'edgeAdd', owner: id, edge: 'tags', member: 'a', score: 1 }]);
      const entries = [raised(id, 1, 1), raised(id, 1, 2)];
      await store.records.append(entries);

      const comeBack = await faulty.leave('refuses');
      await until(() => heard.length === 1);
      await refused(writes(store, freshId()));
      if (faulty.isReadDirectly) expect(await store.objects.get(id)).toMatchObject({ version: 1 });
      else await refused([() => store.objects.get(id), () => store.records.counts(id)]);
      await comeBack();
      await until(() => heard.length === 2);
      expect(heard).toEqual([false, true]);

      await until(() =>
        other
          .ping()
          .then(() => true)
          .catch(() => false),
      );
      expect(await other.objects.get(id)).toMatchObject({ version: 1 });
      expect(await other.objects.edgeSize({ owner: id, edge: 'tags' })).toBe(1);
      // Offered again, they are applied no second time.
      expect(await store.records.append(entries)).toEqual([]);
      expect(await other.records.counts(id)).toMatchObject({ total: 2, open: 2, lastRevision: 2 });

      const held = await other.leases.holder(key);
      expect(held === undefined).toBe(faulty.losesLeases);
      expect(await store.leases.renew(lease, 600_000)).toBe(!faulty.losesLeases);
      expect(await store.leases.reclaim(lease, 600_000)).toBe(true);
      expect(await other.leases.acquire(key, 'two', 600_000)).toBeUndefined();
      await store.leases.release(lease);
      // Fences go on, so that what an earlier holder numbered is told from what comes.
      const next = await other.leases.acquire(key, 'two', 600_000);
      expect(next?.fence).toBeGreaterThan(lease.fence);
      expect(await store.leases.reclaim(lease, 600_000)).toBe(false);
    });

    test('gives up calls while it hangs, and applies what it was sent once or never', async () => {
      const [store, other] = await faulty.stores();
      const heard: boolean[] = [];
      store.onAvailability((available) => heard.push(available));
      const id = freshId();
      await store.objects.commit([put(id, 1, 0)]);
      const thaw = await faulty.leave('hangs');
      const entries = [raised(id, 1, 1), raised(id, 1, 2)];
      await refused([
        () => store.objects.commit([put(id, 2, 1)]),
        () => store.records.append(entries),
        () => store.ping(),
      ]);
      await until(() => heard.includes(false));
      if (faulty.isReadDirectly) expect(await store.objects.get(id)).toMatchObject({ version: 1 });
      await thaw();
      await until(() => heard.includes(true));
      await store.records.append(entries);
      expect(await store.records.counts(id)).toMatchObject({ total: 2, lastRevision: 2 });
      // It may have been applied: the version tells.
      await store.objects.commit([put(id, 2, 1)]).catch((error: unknown) => {
        expect(codeOf(error)).toBe('STORE_CONFLICT');
      });
      await until(async () => (await other.objects.get(id).catch(() => undefined))?.version === 2);
    });
  });
}

export interface FailingOver {
  /** A store that other processes share, with a replica. */
  store(): Promise<Store>;
  /** Waits until the replica has everything, and cuts it off. */
  cutOff(id: string): Promise<void>;
  /** The replica takes over. */
  failOver(): Promise<void>;
}

/** What a failover loses, and what the replica answers then. */
export function failoverContract(name: string, failing: FailingOver): void {
  test(`${name} store loses its last acknowledged writes with a failover, and gives their versions again`, async () => {
    const store = await failing.store();
    const id = freshId();
    const key = LEASE.publish(id);
    await store.objects.commit([put(id, 1, 0)]);
    await store.records.append([raised(id, 1, 1)]);
    await failing.cutOff(id);

    await store.objects.commit([put(id, 2, 1)]);
    await store.records.append([raised(id, 1, 2)]);
    await store.volatile.set(id, 'lost', 60_000);
    const lease = await store.leases.acquire(key, 'one', 600_000);
    if (lease === undefined) throw new Error('the lease is taken');
    const returned = new Promise<void>((resolve) => {
      store.onAvailability((available) => {
        if (available) resolve();
      });
    });
    await failing.failOver();
    await returned;

    // The connection may change again while it settles.
    const asked = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
      let answer: { readonly value: Answer } | undefined;
      await until(async () => {
        answer = await question().then(
          (value) => ({ value }),
          (error: unknown) => {
            if (error instanceof StoreUnavailableError) return undefined;
            throw error;
          },
        );
        return answer !== undefined;
      });
      if (answer === undefined) throw new Error('the store does not answer');
      return answer.value;
    };
    expect(await asked(() => store.objects.get(id))).toMatchObject({ version: 1 });
    expect(await asked(() => store.records.counts(id))).toMatchObject({ total: 1, lastRevision: 1 });
    expect(await asked(() => store.volatile.get(id))).toBeUndefined();
    expect(await asked(() => store.leases.holder(key))).toBeUndefined();
    expect(await asked(() => store.leases.renew(lease, 600_000))).toBe(false);
    // A change that is lost and another one have the same version: who knew the lost one is not told by it.
    await asked(() => store.objects.commit([put(id, 2, 1)]));
    expect(await asked(() => store.objects.get(id))).toMatchObject({ version: 2 });
    const gap = asked(() => store.records.append([raised(id, 1, 3)], { refuseGaps: true }));
    await expect(gap).rejects.toMatchObject({ code: 'STORE_GAP' });
    const next = await asked(() => store.leases.acquire(key, 'two', 600_000));
    expect(next?.fence).toBeGreaterThanOrEqual(lease.fence);
  });
}
