/**
 * Gives a stream key to a publish. If another publisher has it, the publish is held: the key changes hands as soon as the
 * other is silent, has left, or its process has died. It is refused only if the other sends for the whole wait.
 */
import { LEASE, type Lease } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import type { Hold } from './hold.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Presence } from './presence.js';
import type { Publications } from './publications.js';

export interface Taken {
  readonly lease: Lease;
  /** An older publisher was disconnected for this one. */
  readonly tookOver: boolean;
}

export class KeyHandover {
  readonly #deps: Pick<BroadcastDeps, 'store' | 'holder'>;
  readonly #publications: Publications;
  readonly #presence: Presence;

  constructor(deps: BroadcastDeps, publications: Publications, presence: Presence) {
    this.#deps = deps;
    this.#publications = publications;
    this.#presence = presence;
  }

  /** `undefined`: the other publisher keeps the key, or the encoder gave up. @throws StoreUnavailableError */
  async take(liveVideoId: string, hold: Hold): Promise<Taken | undefined> {
    let tookOver = false;
    try {
      for (let look = 0; ; look += 1) {
        const here = await this.#publications.yieldIfSilent(liveVideoId);
        tookOver ||= here === 'taken-over';
        const lease = here === 'busy' ? undefined : await this.#lease(liveVideoId, look);
        if (lease !== undefined) return { lease, tookOver: tookOver || this.#publications.hasYielded(liveVideoId) };
        if (!(await hold.next())) return undefined;
      }
    } finally {
      this.#publications.stopAsking(liveVideoId);
    }
  }

  /** Looks at the store in some of the rounds only: a thousand encoders of a dead machine may wait at once. */
  async #lease(liveVideoId: string, look: number): Promise<Lease | undefined> {
    if (look % BROADCAST_LIMITS.heldStoreLooks !== 0) return undefined;
    const { leases } = this.#deps.store;
    const key = LEASE.publish(liveVideoId);
    const own = this.#deps.holder;
    const lease = await leases.acquire(key, own, BROADCAST_LIMITS.leaseMs);
    if (lease !== undefined) return lease;
    const current = await leases.holder(key);
    if (current === undefined) return leases.acquire(key, own, BROADCAST_LIMITS.leaseMs);
    if (await this.#presence.isSilent(current.holder)) return leases.takeOver(current, own, BROADCAST_LIMITS.leaseMs);
    this.#publications.askToYield(liveVideoId);
    return undefined;
  }
}
