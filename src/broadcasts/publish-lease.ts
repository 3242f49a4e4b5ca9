/** The lease of one publish session: renewed by the clock, and verified after the process stood still. */
import { type Lease, type Log, StoreUnavailableError } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Presence } from './presence.js';

/** `unknown`: the store has not answered. */
export type LeaseState = 'held' | 'lost' | 'unknown';

interface LeaseOptions {
  readonly deps: Pick<BroadcastDeps, 'store' | 'clock' | 'pause' | 'quota'>;
  readonly presence: Pick<Presence, 'isStalled'>;
  readonly log: Log;
}

export class PublishLease {
  readonly #lease: Lease;
  readonly #deps: LeaseOptions['deps'];
  readonly #presence: LeaseOptions['presence'];
  readonly #log: Log;
  /** When the store last answered such a check. */
  #verifiedMs = 0;

  constructor(lease: Lease, { deps, presence, log }: LeaseOptions) {
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

  /** Frees a lease that has no publisher slot: the right to be on air. */
  async free(): Promise<void> {
    await this.#deps.store.leases.release(this.#lease).catch((error: unknown) => {
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

/** The leases of one publish session: that of its stream key, and the right to change the stored broadcast. */
export class PublishLeases {
  readonly key: PublishLease;
  /** Equal to `key`, or the lease of the live video where there are two input streams; undefined: it stands by. */
  air: PublishLease | undefined;
  readonly #options: LeaseOptions;
  /** The check of the leases, while it runs, and how long it is waited for. */
  #verifying: Promise<PublishLease | undefined> | undefined;
  #deferredUntilMs = 0;

  /** `air`: the same object as `key` where it is that lease. */
  constructor(key: Lease, air: Lease | undefined, options: LeaseOptions) {
    this.#options = options;
    this.key = this.made(key);
    this.air = air === key ? this.key : air && this.made(air);
  }

  /** A lease that the session came to hold. */
  made(lease: Lease): PublishLease {
    return new PublishLease(lease, this.#options);
  }

  /** The lease that was lost, if any. */
  renew(): Promise<PublishLease | undefined> {
    return this.#lost((lease) => lease.renew());
  }

  get isCheckDue(): boolean {
    return this.key.isCheckDue;
  }

  /**
   * Resolves with the lease that was lost, if any; undefined while another check runs. A store that is away does not tell: after a
   * while the session continues as one that did not stand still does during an outage, and ends if the lease turns out to be lost.
   */
  verify(): Promise<PublishLease | undefined> | undefined {
    this.#deferredUntilMs = this.#options.deps.clock.monotonicMs() + BROADCAST_LIMITS.verifyMs;
    if (this.#verifying !== undefined) return undefined;
    const verifying = this.#lost((lease) => lease.verify()).finally(() => {
      this.#verifying = undefined;
    });
    this.#verifying = verifying;
    return verifying;
  }

  /** No record is written and no state is saved until the store answers. */
  get isDeferring(): boolean {
    return this.#verifying !== undefined && this.#options.deps.clock.monotonicMs() < this.#deferredUntilMs;
  }

  /** Resolves when nothing is deferred any more, or the server shuts down. */
  async settled(): Promise<void> {
    while (this.isDeferring) {
      const verified = this.#verifying?.then(() => false);
      if (!(await Promise.race([verified, this.#options.deps.pause(BROADCAST_LIMITS.proveAliveMs)]))) break;
    }
  }

  async #lost(ask: (lease: PublishLease) => Promise<LeaseState>): Promise<PublishLease | undefined> {
    const { key, air } = this;
    const [ofKey, ofAir] = await Promise.all([ask(key), air === undefined || air === key ? 'held' : ask(air)]);
    if (ofKey === 'lost') return key;
    return ofAir === 'lost' ? air : undefined;
  }
}
