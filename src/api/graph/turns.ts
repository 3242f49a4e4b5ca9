/**
 * Time slices of the event loop for rendering, shared by all responses of the process. After a slice the loop serves
 * sockets, then the waiting renderers resume. Large responses thus take time from each other, not from other
 * requests of the process. Streams are received in another process.
 */
import { API_LIMITS } from '../context/limits.js';

/** Renderers resumed together: about a millisecond of work. */
const GROUP_SIZE = 25;

export class LoopTurns {
  readonly #nowMs: () => number;
  #endsAtMs = 0;
  /** Whether a slice has begun in this event-loop turn. */
  #isRunning = false;
  #waiting: (() => void)[] = [];

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether the slice of this event-loop turn is used up. */
  isOver(): boolean {
    if (!this.#isRunning) this.#begin();
    return this.#nowMs() >= this.#endsAtMs;
  }

  /** Resolves in a later turn, in FIFO order. */
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
      // Resume a group at once, so that its reads of the store are batched into one call.
      const group = waiting.slice(resumed, resumed + GROUP_SIZE);
      for (const resume of group) resume();
      resumed += group.length;
      // Wait until the group's synchronous work is done.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    waiting.splice(0, resumed);
  }
}
