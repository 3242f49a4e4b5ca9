/** The wait of one publish for its stream key or for the store: bounded, and over when the encoder gives up. */
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';

/** Answers whether the encoder still waits for its publish. */
export type IsWaiting = () => boolean;

const LOOKS = BROADCAST_LIMITS.heldMs / BROADCAST_LIMITS.heldPollMs;

export class Hold {
  readonly #deps: Pick<BroadcastDeps, 'clock' | 'pause'>;
  readonly #isWaiting: IsWaiting;
  readonly #sinceMs: number;
  #looks = 0;

  constructor(deps: Pick<BroadcastDeps, 'clock' | 'pause'>, isWaiting: IsWaiting) {
    this.#deps = deps;
    this.#isWaiting = isWaiting;
    this.#sinceMs = deps.clock.monotonicMs();
  }

  /** Waits until it is time to look again. False: the wait is over. */
  async next(): Promise<boolean> {
    const { clock, pause } = this.#deps;
    this.#looks += 1;
    // Counted too: a clock that is set by a test does not move by itself.
    if (this.#looks > LOOKS || clock.monotonicMs() - this.#sinceMs >= BROADCAST_LIMITS.heldMs) return false;
    return this.#isWaiting() && (await pause(BROADCAST_LIMITS.heldPollMs));
  }
}
