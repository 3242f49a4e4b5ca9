/**
 * When a broadcast began and how long it has been, by two clocks: the wall's, which may be set while it runs, and the
 * monotonic one, which begins anew with each process.
 */
import type { Now } from './judge-types.js';

export class JudgeClock {
  /** The beginning on both clocks; the monotonic one is NaN until it can be worked out. */
  #startWallMs: number;
  #startAtMs = Number.NaN;
  /** What the judge before this one had counted. */
  #leastElapsedMs = 0;
  /** Both clocks at the last call that gave both. */
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

  /** It began then, and this much has been counted already. Before the first `set`. */
  restore(startWallMs: number, leastElapsedMs: number): void {
    this.#startWallMs = startWallMs;
    this.#leastElapsedMs = leastElapsedMs;
  }

  set(now: Now): void {
    this.#wallMs = now.wallMs;
    this.#wallAtMs = now.atMs;
    // From here on the monotonic clock counts: steps of the wall clock do not change how long it has been.
    if (!Number.isNaN(this.#startAtMs)) return;
    this.#startAtMs = now.atMs - Math.max(this.#leastElapsedMs, now.wallMs - this.#startWallMs);
  }

  /** It begins now. */
  restart(now: Now): void {
    this.set(now);
    this.#startWallMs = now.wallMs;
    this.#startAtMs = now.atMs;
  }

  /** 0 while no clock was ever given: offline. */
  elapsedMs(atMs: number): number {
    return Number.isNaN(this.#startAtMs) ? 0 : atMs - this.#startAtMs;
  }

  /** What the wall says at a moment of the monotonic clock. */
  wallMs(atMs: number): number {
    if (Number.isNaN(this.#wallAtMs)) return this.#wallMs;
    return Math.round(this.#wallMs + Math.max(0, atMs - this.#wallAtMs));
  }
}
