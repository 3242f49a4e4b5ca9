/**
 * The limits of owners, held against what the store counts: sizes of lists and one counter, so that a check costs the
 * same however much an owner has. A place of a publisher is an entry beside its lease; entries that a killed process
 * left are found by their leases when an owner has reached its limit.
 */
import type { OwnerData } from '../../broadcast/documents.js';
import {
  type Clock,
  COUNTER,
  type EdgeName,
  edgeOf,
  type Lease,
  type OwnerLimits,
  type OwnerQuota,
  type OwnerUse,
  ownedVideos,
  type Store,
  type Write,
} from '../../ports/index.js';
import { quotaError } from '../../spec/service-errors.js';

const LEASE_MS = 10_000;
/** Minimum time between searches for dead entries: a refused encoder retries at once. */
const CLEAN_EVERY_MS = 5_000;
const PAGE = 1_000;

const places = (ownerId: string): EdgeName => edgeOf(ownerId, 'publishing');

export class StoreOwnerQuota implements OwnerQuota {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #defaults: OwnerLimits;
  readonly #cleanedMs = new Map<string, number>();

  constructor(store: Store, clock: Clock, defaults: OwnerLimits) {
    this.#store = store;
    this.#clock = clock;
    this.#defaults = defaults;
  }

  async limits(ownerId: string): Promise<OwnerLimits> {
    const data = (await this.#store.objects.get<OwnerData>(ownerId))?.data;
    const { publishers, objects, bytes } = this.#defaults;
    return {
      publishers: data?.maxPublishers ?? publishers,
      objects: data?.maxObjects ?? objects,
      bytes: data?.maxBytes ?? bytes,
    };
  }

  async use(ownerId: string): Promise<OwnerUse> {
    await this.#dropDead(ownerId);
    return {
      publishers: await this.#store.objects.edgeSize(places(ownerId)),
      objects: await this.#objects(ownerId),
      bytes: await this.#bytes(ownerId),
    };
  }

  /** The entry is written before it is counted, so that publishers of several processes never take the same place. */
  async acquireSlot(ownerId: string, lease: Lease): Promise<{ readonly limit: number } | undefined> {
    const { publishers: limit } = await this.limits(ownerId);
    const place = { ...places(ownerId), member: lease.key };
    await this.#store.objects.commit([{ op: 'edgeAdd', ...place, score: this.#clock.wallMs() }]);
    if (limit === 0 || (await this.#store.objects.edgeSize(place)) <= limit) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#cleanedMs.get(ownerId) ?? Number.NEGATIVE_INFINITY) >= CLEAN_EVERY_MS) {
      this.#cleanedMs.set(ownerId, nowMs);
      await this.#dropDead(ownerId);
    }
    if (await this.#isAmongFirst(ownerId, lease.key, limit)) return undefined;
    await this.#store.objects.commit([{ op: 'edgeRemove', ...place }]);
    return { limit };
  }

  /** When several publishers request the last place at once, the first one gets it. */
  async #isAmongFirst(ownerId: string, key: string, limit: number): Promise<boolean> {
    const name = places(ownerId);
    const beyond = (await this.#store.objects.edgeSize(name)) - limit;
    if (beyond <= 0) return true;
    const newest = await this.#store.objects.page(name, { limit: Math.min(beyond, PAGE) });
    return beyond <= PAGE && newest.entries.every(({ member }) => member !== key);
  }

  async releaseSlot(ownerId: string, lease: Lease): Promise<void> {
    try {
      // After a lost lease the entry belongs to the next holder.
      if (await this.#store.leases.renew(lease, LEASE_MS))
        await this.#store.objects.commit([{ op: 'edgeRemove', ...places(ownerId), member: lease.key }]);
    } finally {
      await this.#store.leases.release(lease);
    }
  }

  async requireObject(ownerId: string): Promise<void> {
    const { objects: limit } = await this.limits(ownerId);
    if (limit > 0 && (await this.#objects(ownerId)) >= limit)
      throw quotaError(`This owner has ${limit} live videos and videos, which is its limit. Delete some of them.`);
  }

  async hasStorage(ownerId: string): Promise<boolean> {
    const { bytes: limit } = await this.limits(ownerId);
    return limit === 0 || (await this.#bytes(ownerId)) < limit;
  }

  async requireBytes(ownerId: string, bytes: number): Promise<void> {
    const { bytes: limit } = await this.limits(ownerId);
    if (limit === 0) return;
    const used = await this.#bytes(ownerId);
    if (used + bytes > limit)
      throw quotaError(`The videos of this owner take ${used} of ${limit} bytes, which leaves too little room.`);
  }

  async #objects(ownerId: string): Promise<number> {
    const [owned, listed, live] = await Promise.all([
      this.#store.objects.edgeSize(ownedVideos(ownerId)),
      // Videos from before owned videos were listed.
      this.#store.objects.edgeSize(edgeOf(ownerId, 'videos')),
      this.#store.objects.edgeSize(edgeOf(ownerId, 'live_videos')),
    ]);
    return Math.max(owned, listed) + live;
  }

  async #bytes(ownerId: string): Promise<number> {
    const [bytes = 0] = await this.#store.objects.counters(ownerId, [COUNTER.storedBytes]);
    return Math.max(0, bytes);
  }

  async #dropDead(ownerId: string): Promise<void> {
    const name = places(ownerId);
    const { entries } = await this.#store.objects.page(name, { limit: PAGE, ascending: true });
    const holders = await Promise.all(entries.map(({ member }) => this.#store.leases.holder(member)));
    const dead = entries.filter((_entry, index) => holders[index] === undefined);
    await this.#store.objects.commit(dead.map(({ member }): Write => ({ op: 'edgeRemove', ...name, member })));
  }
}
