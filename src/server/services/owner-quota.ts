/**
 * The limits of owners, compared with counts in the store: sizes of lists and one counter, so that the cost of a check does
 * not depend on the size of an account.
 */
import type { OwnerData } from '../../lifecycle/documents.js';
import {
  type Clock,
  COUNTER,
  edgeOf,
  type Lease,
  type OwnerLimits,
  type OwnerQuota,
  type OwnerUse,
  ownedVideos,
  type Store,
} from '../../ports/index.js';
import { quotaError } from '../../spec/service-errors.js';
import { PublisherSlots } from './publisher-slots.js';

const LEASE_MS = 10_000;

export class StoreOwnerQuota implements OwnerQuota {
  readonly #store: Store;
  readonly #slots: PublisherSlots;
  readonly #defaults: OwnerLimits;

  constructor(store: Store, clock: Clock, defaults: OwnerLimits) {
    this.#store = store;
    this.#slots = new PublisherSlots(store, clock, async (ownerId) => (await this.limits(ownerId)).publishers);
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
    return {
      publishers: await this.#slots.count(ownerId),
      objects: await this.#objects(ownerId),
      bytes: await this.#bytes(ownerId),
    };
  }

  async acquireSlot(ownerId: string, lease: Lease): Promise<{ readonly limit: number } | undefined> {
    const { isAdmitted, limit } = await this.#slots.take(ownerId, lease.key);
    return isAdmitted ? undefined : { limit };
  }

  async releaseSlot(ownerId: string, lease: Lease): Promise<void> {
    try {
      // After a lost lease, the entry belongs to the next holder.
      if (await this.#store.leases.renew(lease, LEASE_MS)) await this.#slots.release(ownerId, lease.key);
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
    const [{ bytes: limit }, used] = await Promise.all([this.limits(ownerId), this.#bytes(ownerId)]);
    return limit === 0 || used < limit;
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
      // Videos that were created before owned videos were listed.
      this.#store.objects.edgeSize(edgeOf(ownerId, 'videos')),
      this.#store.objects.edgeSize(edgeOf(ownerId, 'live_videos')),
    ]);
    return Math.max(owned, listed) + live;
  }

  async #bytes(ownerId: string): Promise<number> {
    const [bytes = 0] = await this.#store.objects.counters(ownerId, [COUNTER.storedBytes]);
    return Math.max(0, bytes);
  }
}
