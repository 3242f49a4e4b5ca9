/**
 * Start and elapsed time of a broadcast on two clocks: the wall clock, which may be set while it runs, and the monotonic
 * clock, whose origin differs per process.
 */
import type { Now } from './judge-types.js';

export class JudgeClock {
  /** Start on both clocks; the monotonic value is NaN until the first `set`. */
  #startWallMs: number;
  #startAtMs = Number.NaN;
  /** Elapsed time that the previous judge had counted: a lower bound. */
  #leastElapsedMs = 0;
  /** Both clocks at the last `set`. */
  #wallMs: number;
  #wallAtMs = Number.NaN;

  constructor(startWallMs: number) {
    this.#startWallMs = startWallMs;
    this.#wallMs = startWallMs;
  }

  get startWallMs(): number {
    return this.#startWallMs;
  }

  get leastElapsedMs(): number {
    return this.#leastElapsedMs;
  }

  /** Resumes an earlier start and elapsed time. Call before the first `set`. */
  restore(startWallMs: number, leastElapsedMs: number): void {
    this.#startWallMs = startWallMs;
    this.#leastElapsedMs = leastElapsedMs;
  }

  set(now: Now): void {
    this.#wallMs = now.wallMs;
    this.#wallAtMs = now.atMs;
    // From here on the monotonic clock counts: steps of the wall clock do not change the elapsed time.
    if (!Number.isNaN(this.#startAtMs)) return;
    this.#startAtMs = now.atMs - Math.max(this.#leastElapsedMs, now.wallMs - this.#startWallMs);
  }

  /** Moves the start to `now`. */
  restart(now: Now): void {
    this.set(now);
    this.#startWallMs = now.wallMs;
    this.#startAtMs = now.atMs;
  }

  /** 0 before the first `set`, and so always offline. */
  elapsedMs(atMs: number): number {
    return Number.isNaN(this.#startAtMs) ? 0 : atMs - this.#startAtMs;
  }

  /** Wall time of a monotonic time. */
  wallMs(atMs: number): number {
    if (Number.isNaN(this.#wallAtMs)) return this.#wallMs;
    return Math.round(this.#wallMs + Math.max(0, atMs - this.#wallAtMs));
  }
}
