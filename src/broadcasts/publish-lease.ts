/** The lease of one publish session: renewed by the clock, and verified after the process stood still. */
import { type Lease, type Log, StoreUnavailableError } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Presence } from './presence.js';

/** `unknown`: the store has not answered. */
export type LeaseState = 'held' | 'lost' | 'unknown';

type LeaseDeps = Pick<BroadcastDeps, 'store' | 'clock' | 'pause' | 'quota'>;

export class PublishLease {
  readonly #deps: LeaseDeps;
  readonly #lease: Lease;
  readonly #presence: Pick<Presence, 'isStalled'>;
  readonly #log: Log;
  /** When the store last answered such a check. */
  #verifiedMs = 0;

  constructor(lease: Lease, deps: LeaseDeps, presence: Pick<Presence, 'isStalled'>, log: Log) {
    this.#lease = lease;
    this.#deps = deps;
    this.#presence = presence;
    this.#log = log;
  }

  get fence(): number {
    return this.#lease.fence;
  }

  async renew(): Promise<LeaseState> {
    const { leases } = this.#deps.store;
    try {
      if (await leases.renew(this.#lease, BROADCAST_LIMITS.leaseMs)) return 'held';
      // It expired during an outage of the store. It is still ours if no other process has held it since.
      return (await leases.reclaim(this.#lease, BROADCAST_LIMITS.leaseMs)) ? 'held' : 'lost';
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 'unknown';
      throw error;
    }
  }

  /** Frees the stream key. */
  async release(ownerId: string): Promise<void> {
    await this.#deps.quota.releaseSlot(ownerId, this.#lease).catch((error: unknown) => {
      this.#log.debug({ error }, 'releasing the lease failed; it expires');
    });
  }

  // ---------------------------------------------------------------- after the process stood still

  /** The process stood still since the last check. */
  get isCheckDue(): boolean {
    return this.#presence.isStalled(this.#deps.clock.monotonicMs(), this.#verifiedMs);
  }

  /** Renews the lease as soon as the store answers. `unknown`: it does not, and the server shuts down. */
  async verify(): Promise<LeaseState> {
    try {
      for (;;) {
        const state = await this.renew();
        // Shutting down without a store: what was judged is better kept twice than lost.
        if (state === 'unknown' && (await this.#deps.pause(BROADCAST_LIMITS.proveAliveMs))) continue;
        this.#verifiedMs = this.#deps.clock.monotonicMs();
        return state;
      }
    } catch (error) {
      this.#log.error({ error }, 'verifying the lease of a broadcast failed');
      return 'unknown';
    }
  }
}
