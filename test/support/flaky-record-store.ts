/** A real store whose error log can be made unavailable, or lose accepted writes as a failover of Redis does. */
import { type AppendOptions, type JournalEntry, type Store, StoreUnavailableError } from '../../src/ports/index.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import { StoreGapError } from '../../src/store/shared/record-rules.js';

export class FlakyRecordStore {
  readonly #store: Store;
  readonly #listeners = new Set<(available: boolean) => void>();
  readonly taken: JournalEntry[] = [];
  #available = true;
  /** Rejects what it names, for ever. */
  poison: string | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** As the port, so that a journal can stand on it. */
  asStore(): Store {
    const { records } = this.#store;
    const own = {
      isShared: true,
      spansMachines: true,
      records: proxyOf(records, {
        append: async (entries: readonly JournalEntry[], options?: AppendOptions) => this.#take(entries, options),
      }),
      onAvailability: (listener: (available: boolean) => void) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    return proxyOf(this.#store, own);
  }

  set available(available: boolean) {
    this.#available = available;
    for (const listener of [...this.#listeners]) listener(available);
  }

  /** Forgets the entries of a broadcast above the number, without anybody being told. */
  forget(broadcastId: string, above: number): void {
    const kept = this.taken.filter((entry) => entry.broadcastId !== broadcastId || entry.number <= above);
    this.taken.splice(0, this.taken.length, ...kept);
  }

  #take(entries: readonly JournalEntry[], options?: AppendOptions): StoredRecord[] {
    if (!this.#available) throw new StoreUnavailableError('away, as told');
    const stored: StoredRecord[] = [];
    for (const entry of entries) {
      if (entry.change.body.id === this.poison) throw new Error('poisoned, as told');
      const applied = this.#applied(entry);
      if (options?.refuseGaps && entry.number > applied + 1)
        throw new StoreGapError(entry.broadcastId, entry.fence, applied);
      if (entry.number <= applied) continue;
      this.taken.push(entry);
      stored.push({ ...entry.change.body, sequence: this.taken.length, revision: this.taken.length });
    }
    return stored;
  }

  #applied({ broadcastId, fence }: JournalEntry): number {
    const numbers = this.taken.filter((entry) => entry.broadcastId === broadcastId && entry.fence === fence);
    return Math.max(0, ...numbers.map((entry) => entry.number));
  }
}

/** The target, with some members of our own in front of its. */
function proxyOf<Target extends object>(target: Target, own: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name in own) return Reflect.get(own, name);
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
