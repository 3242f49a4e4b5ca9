/**
 * Packets that the network loses: each holds up all that came after it until it is sent again. The arrival shows
 * interruptions, which a sender short of processor time produces too; the kernel's count of segments out of order tells
 * the two apart. Times are milliseconds of the monotonic clock.
 */

/** TCP waits at least this long before it sends a segment again; a stream that flows has no such pause. */
const PAUSE_MS = 200;
const WINDOW_SECONDS = 10;
/** Between two counts that belong together: they are taken every 5 s while a stream is interrupted. */
const COUNTS_APART_MS = 12_000;
/** Out of order in that time; a few are reordered by the network without loss. */
const OUT_OF_ORDER = 10;

export class LossFacts {
  readonly #seconds = new Float32Array(WINDOW_SECONDS);
  #n = 0;
  #secondMs = 0;
  #count = Number.NaN;
  #countAtMs = Number.NEGATIVE_INFINITY;
  #lost = false;
  #knownAtMs = Number.NEGATIVE_INFINITY;

  restart(): void {
    this.#seconds.fill(0);
    this.#secondMs = 0;
    this.#count = Number.NaN;
    this.#knownAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A message arrived `sinceMs` after the one before. */
  message(sinceMs: number): void {
    if (sinceMs >= PAUSE_MS) this.#secondMs += sinceMs;
  }

  second(): void {
    this.#seconds[this.#n++ % WINDOW_SECONDS] = this.#secondMs;
    this.#secondMs = 0;
  }

  /** Segments of the connection so far that arrived out of order. */
  take(count: number, nowMs: number): void {
    if (nowMs - this.#countAtMs <= COUNTS_APART_MS) {
      this.#lost = count - this.#count >= OUT_OF_ORDER;
      this.#knownAtMs = nowMs;
    }
    this.#count = count;
    this.#countAtMs = nowMs;
  }

  /** Of the last 10 s: the time without a message, in pauses of 200 ms or more. */
  get interruptedMs(): number {
    return this.#seconds.reduce((sum, ms) => sum + ms, 0);
  }

  /** Whether the network lost segments; undefined where that is not known of the last `windowMs`. */
  lost(nowMs: number, windowMs: number): boolean | undefined {
    return nowMs - this.#knownAtMs <= windowMs ? this.#lost : undefined;
  }
}
