/**
 * Decides when waiting writes go to LMDB. A transaction costs pages, a flush and several switches between threads, whether it
 * holds one write or fifty. While many callers write at once, a group gathers for some 20 ms; a caller that writes alone
 * does not wait. Measured with 150 publishes at once: docs/notebook/publishes.md.
 */

/** At least this long from one group to the next while many callers write. */
const GATHER_MS = 20;
/** A group of this many writes shows that more will follow. */
const MANY = 4;

/** Milliseconds of a monotonic clock, and its timers. */
export interface GroupClock {
  nowMs(): number;
  /** The answer cancels `run`. */
  after(ms: number, run: () => void): () => void;
}

const CLOCK: GroupClock = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class WriteGroups {
  readonly #clock: GroupClock;
  /** In the order of the calls. */
  #waiting: (() => void)[] = [];
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastSize = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: GroupClock = CLOCK) {
    this.#clock = clock;
  }

  /** Runs `begin` with those of its group, in the order of the calls. `begin` must not throw. */
  add(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#waiting.length > 1) return;
    const leftMs = this.#lastSize < MANY ? 0 : this.#beganMs + GATHER_MS - this.#clock.nowMs();
    // Rounded up: a timer that fires early would begin a group too soon.
    if (leftMs > 0) this.#cancel = this.#clock.after(Math.ceil(leftMs), () => this.flush());
    // The writes of this turn of the event loop, such as calls that arrived together.
    else queueMicrotask(() => this.flush());
  }

  /** Begins what waits now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#beganMs = this.#clock.nowMs();
    this.#lastSize = group.length;
    for (const begin of group) begin();
  }
}
