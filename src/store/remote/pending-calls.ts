/** Calls that wait for a reply. All have the same timeout, so one timer for the oldest is enough. */
import { StoreUnavailableError } from '../../ports/index.js';

export interface PendingCall {
  /** The reply has the declared type: client and server are the same program. */
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly sinceMs: number;
}

export class PendingCalls {
  readonly #withinMs: number;
  readonly #onSilence: () => void;
  /** In send order. */
  readonly #waiting = new Map<number, PendingCall>();
  #lastId = 0;
  #heardMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onSilence`: a call timed out, and nothing was received since it was sent. */
  constructor(withinMs: number, onSilence: () => void) {
    this.#withinMs = withinMs;
    this.#onSilence = onSilence;
  }

  get size(): number {
    return this.#waiting.size;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  heard(): void {
    this.#heardMs = performance.now();
  }

  add(id: number, resolve: PendingCall['resolve'], reject: PendingCall['reject']): void {
    this.#waiting.set(id, { resolve, reject, sinceMs: performance.now() });
    this.#arm(this.#withinMs);
  }

  take(id: number): PendingCall | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  rejectAll(error: StoreUnavailableError): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { reject } of all) reject(error);
  }

  /** After the timer, reads the replies that have arrived first: this process may have been suspended itself. */
  #arm(inMs: number): void {
    this.#timer ??= setTimeout(() => setImmediate(() => this.#expire()), inMs);
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    let silent = false;
    for (const [id, { reject, sinceMs }] of this.#waiting) {
      const leftMs = sinceMs + this.#withinMs - nowMs;
      if (leftMs > 0) {
        this.#arm(leftMs);
        break;
      }
      this.#waiting.delete(id);
      silent ||= this.#heardMs < sinceMs;
      reject(new StoreUnavailableError('the store process did not respond in time'));
    }
    if (silent) this.#onSilence();
  }
}
