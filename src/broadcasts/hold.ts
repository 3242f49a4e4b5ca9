/** The wait of one publish for its stream key or for the store: bounded, and over when the encoder gives up. */
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';

/** Answers whether the encoder still waits for its publish. */
export type IsWaiting = () => boolean;

export class Hold {
  readonly #deps: Pick<BroadcastDeps, 'clock' | 'pause' | 'store'>;
  readonly #isWaiting: IsWaiting;
  readonly #sinceMs: number;
  #looks = 0;

  constructor(deps: Pick<BroadcastDeps, 'clock' | 'pause' | 'store'>, isWaiting: IsWaiting) {
    this.#deps = deps;
    this.#isWaiting = isWaiting;
    this.#sinceMs = deps.clock.monotonicMs();
  }

  /** How long the publish has waited. */
  get waitedMs(): number {
    return this.#looks === 0 ? 0 : this.#deps.clock.monotonicMs() - this.#sinceMs;
  }

  /** Waits until it is time to look again for the stream key. False: the wait is over. */
  next(): Promise<boolean> {
    return this.#next(BROADCAST_LIMITS.heldMs);
  }

  /** Waits for the answer whether the other publisher is alive: it comes soon after the store is back. */
  nextForAnswer(): Promise<boolean> {
    return this.#next(BROADCAST_LIMITS.heldForStoreMs);
  }

  /** Waits for a store that is away. */
  nextForStore(): Promise<boolean> {
    const { heldMs, heldForStoreMs } = BROADCAST_LIMITS;
    // Counted too: only calls that time out may take the wait beyond `heldMs`, not those that fail at once.
    return this.#next(this.#deps.store.spansMachines ? heldMs : heldForStoreMs, heldMs);
  }

  async #next(withinMs: number, pausesMs = withinMs): Promise<boolean> {
    const { clock, pause } = this.#deps;
    this.#looks += 1;
    const isOver = this.#looks > pausesMs / BROADCAST_LIMITS.heldPollMs;
    if (isOver || clock.monotonicMs() - this.#sinceMs >= withinMs) return false;
    return this.#isWaiting() && (await pause(BROADCAST_LIMITS.heldPollMs));
  }
}
