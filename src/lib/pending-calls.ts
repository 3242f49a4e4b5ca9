/** Calls to other processes that wait for their answers, each with its own timeout. One timer for the earliest is enough. */

interface Pending {
  /** The answer has the declared type: both sides are the same program. */
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly peer: number;
  readonly sinceMs: number;
  readonly dueMs: number;
}

export interface PendingCallsOptions {
  /** The error of a call that was not answered in time. */
  readonly late: () => Error;
  /** A call timed out, and nothing was received since it was sent. */
  readonly onSilence?: () => void;
}

export class PendingCalls {
  readonly #options: PendingCallsOptions;
  readonly #waiting = new Map<number, Pending>();
  #lastNumber = 0;
  #heardMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerDueMs = 0;

  constructor(options: PendingCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** Something was received. */
  heard(): void {
    this.#heardMs = performance.now();
  }

  /** Resolves with the answer to the call of this number. Rejects if it fails, comes too late, or `peer` is gone. */
  answerTo<Answer>(number: number, withinMs: number, peer = 0): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const sinceMs = performance.now();
      this.#waiting.set(number, { resolve, reject, peer, sinceMs, dueMs: sinceMs + withinMs });
      this.#arm(sinceMs, sinceMs + withinMs);
    });
  }

  answered(number: number, answer: unknown): void {
    this.#take(number)?.resolve(answer as never);
  }

  failed(number: number, error: Error): void {
    this.#take(number)?.reject(error);
  }

  /** Fails the calls to `peer`, or all. */
  failAll(error: Error, peer?: number): void {
    for (const [number, pending] of [...this.#waiting]) {
      if (peer === undefined || pending.peer === peer) this.failed(number, error);
    }
  }

  #take(number: number): Pending | undefined {
    const pending = this.#waiting.get(number);
    this.#waiting.delete(number);
    return pending;
  }

  /** After the timer, reads the answers that have arrived first: this process may have been suspended itself. */
  #arm(nowMs: number, dueMs: number): void {
    if (this.#timer !== undefined && this.#timerDueMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#timerDueMs = dueMs;
    // The channel keeps the process alive while it is needed.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), dueMs - nowMs).unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    let silent = false;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [number, { sinceMs, dueMs }] of this.#waiting) {
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs);
      else {
        silent ||= this.#heardMs < sinceMs;
        this.failed(number, this.#options.late());
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nowMs, nextMs);
    if (silent) this.#options.onSilence?.();
  }
}
