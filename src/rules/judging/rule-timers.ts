import type { CatalogueEntry } from '../catalogue-entry.js';
import type { LiveRule } from '../rule.js';

/** For how long, or how often, a rule has been broken or kept without a break. Most streams keep most rules and need none of these. */
export class RuleTimers {
  /** On the rule's clock; NaN when it is not. */
  #brokenSinceMs = Number.NaN;
  #keptSinceMs = Number.NaN;
  #brokenTimes = 0;
  #keptTimes = 0;

  /** It is broken once more, now. True: for as long, or as often, as `after` says. */
  isBrokenFor(after: NonNullable<LiveRule['raiseAfter']>, nowMs: number): boolean {
    this.#brokenTimes++;
    if ('times' in after) return this.#brokenTimes >= after.times;
    if (Number.isNaN(this.#brokenSinceMs)) this.#brokenSinceMs = nowMs;
    return nowMs - this.#brokenSinceMs >= after.holdMs;
  }

  /** It is kept once more, now. True: for as long, or as often, as its record takes to clear. */
  isKeptFor(clears: CatalogueEntry['clears'], nowMs: number): boolean {
    if (clears.how === 'key-frames') return ++this.#keptTimes >= clears.times;
    if (clears.how !== 'window') return true;
    if (Number.isNaN(this.#keptSinceMs)) this.#keptSinceMs = nowMs;
    return nowMs - this.#keptSinceMs >= clears.insideMs;
  }

  forgetBroken(): void {
    this.#brokenSinceMs = Number.NaN;
    this.#brokenTimes = 0;
  }

  forgetKept(): void {
    this.#keptSinceMs = Number.NaN;
    this.#keptTimes = 0;
  }
}
