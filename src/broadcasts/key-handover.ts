/**
 * Gives a stream key to a publish. If another publisher has it, the publish is held: the key changes hands as soon as the
 * other is silent, has left, or its process has died. It is refused only if the other sends for the whole wait.
 */
import { LEASE, type Lease, StoreUnavailableError } from '../ports/index.js';
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

/** `unknown`: its process has the lease, and may be gone. */
type OtherPublisher = 'sends' | 'unknown';

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
  async take(subject: string, hold: Hold): Promise<Taken | undefined> {
    let tookOver = false;
    let other: OtherPublisher = 'sends';
    try {
      for (let look = 0; ; look += 1) {
        const here = await this.#publications.yieldIfSilent(subject);
        tookOver ||= here === 'taken-over';
        if (here === 'busy') other = 'sends';
        // In some of the rounds only: a thousand encoders of a dead machine may wait at once.
        else if (look % BROADCAST_LIMITS.heldStoreLooks === 0) {
          const found = await this.#lease(subject);
          if (typeof found === 'object')
            return { lease: found, tookOver: tookOver || this.#publications.hasYielded(subject) };
          other = found;
        }
        if (await (other === 'unknown' ? hold.nextForAnswer() : hold.next())) continue;
        // The holder may have died with the store: it is not said to publish.
        if (other === 'unknown')
          throw new StoreUnavailableError('after an outage of the store, the other publisher is not known');
        return undefined;
      }
    } finally {
      this.#publications.stopAsking(subject);
    }
  }

  /** The lease, or why there is none. One publish of this process at a time: a second would be given the lease of the first. */
  async #lease(subject: string): Promise<Lease | OtherPublisher> {
    if (!this.#publications.take(subject)) return 'sends';
    let found: Lease | OtherPublisher | undefined;
    try {
      found = await this.#askForLease(subject);
      return found;
    } finally {
      if (typeof found !== 'object') this.#publications.taken(subject);
    }
  }

  async #askForLease(subject: string): Promise<Lease | OtherPublisher> {
    const { leases } = this.#deps.store;
    const key = LEASE.publish(subject);
    const own = this.#deps.holder;
    const lease = await this.#acquire(subject);
    if (lease !== undefined) return lease;
    const current = await leases.holder(key);
    if (current === undefined) return (await this.#acquire(subject)) ?? 'sends';
    const state = await this.#presence.stateOf(current.holder);
    if (state === 'silent') return (await leases.takeOver(current, own, BROADCAST_LIMITS.leaseMs)) ?? 'sends';
    this.#publications.askToYield(subject);
    return state === 'unknown' ? 'unknown' : 'sends';
  }

  /** A lease with a fence that no publish has had. */
  async #acquire(subject: string): Promise<Lease | undefined> {
    const { leases } = this.#deps.store;
    const own = this.#deps.holder;
    const lease = await leases.acquire(LEASE.publish(subject), own, BROADCAST_LIMITS.leaseMs);
    const isOld = lease !== undefined && this.#publications.wasUsed(subject, lease);
    return isOld ? leases.takeOver(lease, own, BROADCAST_LIMITS.leaseMs) : lease;
  }
}
