/** Faults that are put in at a port, each of which the mended server does not have. The simulation finds every one of them. */
import type { ErrorSink, LeaseStore, Store } from '../../src/ports/index.js';
import type { JournalFiles } from '../../src/store/journal/segment.js';
import type { Mutation } from './server.js';

export interface Planted {
  /** What the server did. */
  readonly fault: string;
  readonly mutation: Mutation;
  /** A seed that finds it. */
  readonly seed: number;
  /** What the simulation says, in part. */
  readonly broken: RegExp;
}

/** A store in which a part is replaced. */
const withPart = (store: Store, part: Partial<Store>): Store => ({
  objects: store.objects,
  records: store.records,
  leases: store.leases,
  volatile: store.volatile,
  bus: store.bus,
  isShared: store.isShared,
  spansMachines: store.spansMachines,
  name: store.name,
  ping: () => store.ping(),
  onAvailability: (listener) => store.onAvailability(listener),
  close: () => store.close(),
  ...part,
});

const withLeases = (store: Store, part: (leases: LeaseStore) => Partial<LeaseStore>): Store =>
  withPart(store, { leases: { ...store.leases, ...part(store.leases) } });

export const PLANTED: readonly Planted[] = [
  {
    fault: 'a record was pushed before the journal had it',
    mutation: {
      errors: (journal): ErrorSink => ({
        stored: (broadcastId, timeoutMs) => journal.stored(broadcastId, timeoutMs),
        append: (entries) => {
          void journal.append(entries);
          return Promise.resolve(entries);
        },
      }),
    },
    seed: 1499,
    broken: /is not readable|reads/,
  },
  {
    fault: 'the journal forgot what the store had acknowledged, and a failover lost it',
    mutation: { store: (store) => withPart(store, { spansMachines: false }) },
    seed: 34,
    broken: /is not readable|reads/,
  },
  {
    fault: 'the journal was not told that the store had returned',
    mutation: { store: (store) => withPart(store, { onAvailability: () => () => undefined }) },
    seed: 34,
    broken: /./,
  },
  {
    fault: 'an entry that was offered again was stored again',
    mutation: { fault: 'entries-twice' },
    seed: 5,
    broken: /./,
  },
  {
    fault: 'a concurrent change of a broadcast was overwritten',
    mutation: { fault: 'versions-ignored' },
    seed: 5,
    broken: /./,
  },
  {
    fault: 'a lease was reclaimed after another process had held it',
    mutation: { store: (store) => withLeases(store, () => ({ reclaim: () => Promise.resolve(true) })) },
    seed: 1612,
    broken: /./,
  },
  {
    fault: 'a process that stood still did not notice that its lease was lost',
    mutation: { store: (store) => withLeases(store, () => ({ renew: () => Promise.resolve(true) })) },
    seed: 421,
    broken: /./,
  },
  {
    fault: 'the files of a dead process were not adopted',
    mutation: { files: (files): JournalFiles => ({ ...files, readdir: () => Promise.resolve([]) }) },
    seed: 57,
    broken: /is not readable/,
  },
  {
    fault: 'a delivery that failed counted as delivered',
    mutation: {
      post: (post) => async (target, event, body, closing) => {
        await post(target, event, body, closing);
        return undefined;
      },
    },
    seed: 3,
    broken: /never heard/,
  },
  {
    fault: 'other processes did not hear that a broadcast was over',
    mutation: { store: (store) => withPart(store, { bus: { ...store.bus, publish: () => undefined } }) },
    seed: 28,
    broken: /./,
  },
  {
    fault: 'a live holder of a lease was taken for a dead one',
    mutation: { store: (store) => withLeases(store, () => ({ isAlive: () => Promise.resolve(false) })) },
    seed: 2,
    broken: /./,
  },
];
