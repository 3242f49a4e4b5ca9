/**
 * Whose turn it is to have a sample of its pictures decoded: first come, first served, at a rate for the whole process, so that a
 * thousand broadcasts cost no more than ten. Those that still wait are not judged.
 */
import { PICTURE_TURNS } from './limits.js';

export class PictureTurns {
  readonly #nowMs: () => number;
  /** In the order in which they came, with the time at which their turn came; NaN before. */
  readonly #waiting = new Map<object, number>();
  /** Turns that are free. */
  #free: number = PICTURE_TURNS.atOnce;
  #freeAtMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#freeAtMs = nowMs();
  }

  /** Joins the others. True from its turn on, up to `take`. One that does not take it in time waits anew. */
  isNext(who: object): boolean {
    const nowMs = this.#nowMs();
    const { atOnce, everyMs, heldMs } = PICTURE_TURNS;
    this.#free = Math.min(atOnce, this.#free + (nowMs - this.#freeAtMs) / everyMs);
    this.#freeAtMs = nowMs;
    if (!this.#waiting.has(who)) this.#waiting.set(who, Number.NaN);
    let place = 0;
    for (const [each, sinceMs] of this.#waiting) {
      if (++place > this.#free) return false;
      if (Number.isNaN(sinceMs)) this.#waiting.set(each, nowMs);
      if (nowMs - sinceMs > heldMs) {
        this.#waiting.delete(each);
        this.#waiting.set(each, Number.NaN);
        place--;
      } else if (each === who) return true;
    }
    return false;
  }

  take(who: object): void {
    if (this.#waiting.delete(who)) this.#free--;
  }

  leave(who: object): void {
    this.#waiting.delete(who);
  }
}
