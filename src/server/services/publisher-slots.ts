/**
 * The publisher slots of owners. A slot is an entry in a list beside one object per owner: taking a slot also replaces
 * that object at the version that was read before the list was counted, so that two processes never take the last slot.
 * Requests of one owner that arrive during a commit are decided together by the next one.
 */
import {
  type Clock,
  DERIVED_ID,
  type EdgeName,
  edgeOf,
  retryConflicts,
  type Store,
  type Write,
} from '../../ports/index.js';

/** Minimum time between searches for slots of killed processes: a refused encoder retries at once. */
const CLEAN_EVERY_MS = 5_000;
const PAGE = 1_000;

interface SlotAnswer {
  /** The lease holds a slot. */
  readonly isAdmitted: boolean;
  readonly limit: number;
}

interface SlotRequest {
  readonly leaseKey: string;
  readonly resolve: (answer: SlotAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Publishers that an owner may have. 0: any number. */
type LimitOf = (ownerId: string) => Promise<number>;

export class PublisherSlots {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limitOf: LimitOf;
  /** Requests by owner. An entry exists while a commit for the owner is running. */
  readonly #waiting = new Map<string, SlotRequest[]>();
  readonly #cleanedMs = new Map<string, number>();

  constructor(store: Store, clock: Clock, limitOf: LimitOf) {
    this.#store = store;
    this.#clock = clock;
    this.#limitOf = limitOf;
  }

  /** @throws StoreUnavailableError */
  take(ownerId: string, leaseKey: string): Promise<SlotAnswer> {
    return new Promise((resolve, reject) => {
      const request = { leaseKey, resolve, reject };
      const waiting = this.#waiting.get(ownerId);
      if (waiting !== undefined) {
        waiting.push(request);
        return;
      }
      this.#waiting.set(ownerId, [request]);
      void this.#decideWaiting(ownerId);
    });
  }

  async release(ownerId: string, leaseKey: string): Promise<void> {
    await this.#store.objects.commit([{ op: 'edgeRemove', ...slotsOf(ownerId), member: leaseKey }]);
  }

  async count(ownerId: string): Promise<number> {
    await this.#removeDead(ownerId);
    return this.#store.objects.edgeSize(slotsOf(ownerId));
  }

  async #decideWaiting(ownerId: string): Promise<void> {
    for (;;) {
      const requests = this.#waiting.get(ownerId)?.splice(0) ?? [];
      if (requests.length === 0) {
        this.#waiting.delete(ownerId);
        return;
      }
      try {
        const admitted = await retryConflicts(() => this.#admit(ownerId, requests));
        const { limit } = admitted;
        for (const request of requests) request.resolve({ isAdmitted: admitted.requests.has(request), limit });
      } catch (error) {
        for (const request of requests) request.reject(error);
      }
    }
  }

  async #admit(ownerId: string, requests: readonly SlotRequest[]) {
    const { objects } = this.#store;
    const id = DERIVED_ID.publishers(ownerId);
    // The version is asked for first, over the same connection: a slot that is taken after the count changes it.
    const [guard, counted, limit] = await Promise.all([
      objects.get(id),
      objects.edgeSize(slotsOf(ownerId)),
      this.#limitOf(ownerId),
    ]);
    let taken = counted;
    if (limit > 0 && taken + requests.length > limit && this.#mayClean(ownerId)) {
      await this.#removeDead(ownerId);
      taken = await objects.edgeSize(slotsOf(ownerId));
    }
    const admitted = new Set<SlotRequest>();
    for (const request of requests) {
      if (limit === 0 || taken < limit) taken += 1;
      // The slot of a killed process whose stream key was taken again.
      else if ((await objects.edgeEntry(slotsOf(ownerId), request.leaseKey)) === undefined) continue;
      admitted.add(request);
    }
    if (admitted.size === 0) return { requests: admitted, limit };
    const nowMs = this.#clock.wallMs();
    const entries = Array.from(
      admitted,
      ({ leaseKey }): Write => ({ op: 'edgeAdd', ...slotsOf(ownerId), member: leaseKey, score: nowMs }),
    );
    const times = { createdMs: guard?.createdMs ?? nowMs, updatedMs: nowMs };
    const object = { id, kind: 'setting', ...times, data: {} } as const;
    await objects.commit([{ op: 'put', object, expect: guard?.version ?? 0 }, ...entries]);
    return { requests: admitted, limit };
  }

  #mayClean(ownerId: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#cleanedMs.get(ownerId) ?? Number.NEGATIVE_INFINITY) < CLEAN_EVERY_MS) return false;
    this.#cleanedMs.set(ownerId, nowMs);
    return true;
  }

  /** Removes the slots whose leases have ended. */
  async #removeDead(ownerId: string): Promise<void> {
    const slots = slotsOf(ownerId);
    const { entries } = await this.#store.objects.page(slots, { limit: PAGE, ascending: true });
    const holders = await Promise.all(entries.map(({ member }) => this.#store.leases.holder(member)));
    const dead = entries.filter((_entry, index) => holders[index] === undefined);
    await this.#store.objects.commit(dead.map(({ member }): Write => ({ op: 'edgeRemove', ...slots, member })));
  }
}

const slotsOf = (ownerId: string): EdgeName => edgeOf(DERIVED_ID.publishers(ownerId), 'publishing');
