/**
 * Packets that the network loses: each holds up all that came after it until it is sent again. The arrival shows
 * interruptions, which a sender short of processor time produces too; the kernel's count of segments out of order tells
 * the two apart. A full link loses packets as well, but carries bytes all the time. Times are milliseconds of the
 * monotonic clock.
 */

/** TCP waits at least this long before it sends a segment again; a stream that flows has no such pause. */
export const PAUSE_MS = 200;
const LOSS_SECONDS = 10;
/** Between two counts that belong together: they are taken every 5 s while a stream is interrupted. */
const COUNTS_APART_MS = 12_000;
/** Out of order in that time; a few are reordered by the network without loss. */
const OUT_OF_ORDER = 10;

export class LossFacts {
  readonly #ms = new Float32Array(LOSS_SECONDS);
  readonly #bytes = new Float32Array(LOSS_SECONDS);
  /** Time without a message in the last 10 s, in pauses of 200 ms or more. */
  interruptedMs = 0;
  #n = 0;
  #secondMs = 0;
  #secondBytes = 0;
  #count = Number.NaN;
  #countAtMs = Number.NEGATIVE_INFINITY;
  #lost = false;
  #knownAtMs = Number.NEGATIVE_INFINITY;

  restart(): void {
    this.#ms.fill(0);
    this.#bytes.fill(0);
    this.interruptedMs = 0;
    this.#secondMs = 0;
    this.#secondBytes = 0;
    this.#count = Number.NaN;
    this.#knownAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A message of `bytes` ended a pause of `PAUSE_MS` or more. */
  pause(bytes: number, sinceMs: number): void {
    this.#secondMs += sinceMs;
    this.#secondBytes += bytes;
  }

  second(): void {
    const at = this.#n++ % LOSS_SECONDS;
    this.#ms[at] = this.#secondMs;
    this.#bytes[at] = this.#secondBytes;
    this.interruptedMs = this.pausedMs(LOSS_SECONDS);
    this.#secondMs = 0;
    this.#secondBytes = 0;
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

  /** Time in such pauses in the last `seconds`, up to 10. */
  pausedMs(seconds: number): number {
    return this.#sum(this.#ms, seconds);
  }

  /** Bytes of the messages that ended these pauses. */
  pausedBytes(seconds: number): number {
    return this.#sum(this.#bytes, seconds);
  }

  /** Whether the network lost segments; undefined where that is not known of the last `windowMs`. */
  lost(nowMs: number, windowMs: number): boolean | undefined {
    return nowMs - this.#knownAtMs <= windowMs ? this.#lost : undefined;
  }

  #sum(values: Float32Array, seconds: number): number {
    let sum = 0;
    for (let back = 1; back <= Math.min(seconds, this.#n); back++)
      sum += values[(this.#n - back) % LOSS_SECONDS] as number;
    return sum;
  }
}
