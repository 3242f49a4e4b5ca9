/**
 * Slices of the event loop for all answers that are rendered in the process: after a slice the loop serves sockets, then
 * the next ones that wait run on. So large answers take time from each other, and not from streams.
 */
import { API_LIMITS } from '../context/limits.js';

/** Rows of one group: about a millisecond of rendering. */
const TOGETHER = 25;

export class LoopTurns {
  readonly #nowMs: () => number;
  #endsAtMs = 0;
  /** A slice has begun in this turn of the loop. */
  #isRunning = false;
  #waiting: (() => void)[] = [];

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** This turn of the loop has rendered for long enough. */
  isOver(): boolean {
    if (!this.#isRunning) this.#begin();
    return this.#nowMs() >= this.#endsAtMs;
  }

  /** In a later turn, in the order of asking. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#isRunning = true;
    this.#endsAtMs = this.#nowMs() + API_LIMITS.sliceMs;
    setImmediate(() => void this.#resume());
  }

  async #resume(): Promise<void> {
    const waiting = this.#waiting;
    this.#isRunning = false;
    if (waiting.length === 0) return;
    this.#begin();
    let resumed = 0;
    while (resumed < waiting.length && this.#nowMs() < this.#endsAtMs) {
      // Several at once, so that what they read of the store goes there as one call.
      const group = waiting.slice(resumed, resumed + TOGETHER);
      for (const resume of group) resume();
      resumed += group.length;
      // After all that these do without waiting.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    waiting.splice(0, resumed);
  }
}
