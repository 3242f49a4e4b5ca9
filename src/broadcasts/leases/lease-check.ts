/**
 * Whether a publish session still has its lease after the process stood still. Until that is known, no record is written and
 * no state is saved. A store that is away answers nothing: after a while the session continues as one that did not stand
 * still does during an outage, and ends if the lease turns out to be lost.
 */
import type { Clock, Log } from '../../ports/index.js';
import { BROADCAST_LIMITS } from '../context/limits.js';
import type { Presence } from './presence.js';

export interface LeaseCheckOptions {
  /** `unknown` while the store is unavailable. */
  readonly renew: () => Promise<'held' | 'lost' | 'unknown'>;
  /** False: the process ends. */
  readonly pause: (ms: number) => Promise<boolean>;
  readonly presence: Pick<Presence, 'isStalled'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onLost: () => void;
  /** The check is done, whatever its result. */
  readonly onDone: () => void;
}

export class LeaseCheck {
  readonly #options: LeaseCheckOptions;
  #running: Promise<void> | undefined;
  #deferredUntilMs = 0;
  #verifiedMs = 0;

  constructor(options: LeaseCheckOptions) {
    this.#options = options;
  }

  /** Records and states have to wait for the answer. */
  get isDeferring(): boolean {
    return this.#running !== undefined && this.#options.clock.monotonicMs() < this.#deferredUntilMs;
  }

  /** Resolves when records and states may be written. */
  async settled(): Promise<void> {
    while (this.isDeferring) {
      const done = this.#running?.then(() => false) ?? false;
      if (!(await Promise.race([done, this.#options.pause(BROADCAST_LIMITS.proveAliveMs)]))) return;
    }
  }

  start(): void {
    this.#deferredUntilMs = this.#options.clock.monotonicMs() + BROADCAST_LIMITS.verifyMs;
    this.#running ??= this.#verify().finally(() => {
      this.#running = undefined;
      this.#options.onDone();
    });
  }

  /** Whether the process stood still since the last check. */
  get isDue(): boolean {
    const { presence, clock } = this.#options;
    return presence.isStalled(clock.monotonicMs(), this.#verifiedMs);
  }

  async #verify(): Promise<void> {
    const { clock, log, onLost } = this.#options;
    try {
      const isHeld = await this.#isHeld();
      this.#verifiedMs = clock.monotonicMs();
      if (!isHeld) onLost();
    } catch (error) {
      log.error({ error }, 'verifying the lease of a broadcast failed');
    }
  }

  /** Renews the lease as soon as the store answers. False if another process has it. */
  async #isHeld(): Promise<boolean> {
    const { renew, pause } = this.#options;
    for (;;) {
      const answer = await renew();
      if (answer !== 'unknown') return answer === 'held';
      // Shutting down without a store: what was judged is better kept twice than lost.
      if (!(await pause(BROADCAST_LIMITS.proveAliveMs))) return true;
    }
  }
}
