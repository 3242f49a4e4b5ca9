/**
 * Whether a publish session still has its lease after the process stood still. Until that is known, no record is written and
 * no state is saved.
 */
import type { Clock, Log } from '../../ports/index.js';
import type { Presence } from './presence.js';

export interface LeaseCheckOptions {
  readonly isHeld: () => Promise<boolean>;
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
  #verifiedMs = 0;

  constructor(options: LeaseCheckOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when no check is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  start(): void {
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
    const { isHeld, clock, log, onLost } = this.#options;
    try {
      const stillHeld = await isHeld();
      this.#verifiedMs = clock.monotonicMs();
      if (!stillHeld) onLost();
    } catch (error) {
      log.error({ error }, 'verifying the lease of a broadcast failed');
    }
  }
}
