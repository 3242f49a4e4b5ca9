import type { CatalogueEntry } from '../catalogue-entry.js';
import type { LiveRule } from '../rule.js';

/** Duration and count of a rule's consecutive failures or passes. Created on demand: most rules pass and need none. */
export class RuleTimers {
  /** On the rule's clock; NaN when not failing or passing. */
  #failingSinceMs = Number.NaN;
  #passingSinceMs = Number.NaN;
  #failedTimes = 0;
  #passedTimes = 0;

  /** Counts a failure. True once the rule has failed for as long, or as often, as `after` requires. */
  isFailingFor(after: NonNullable<LiveRule['raiseAfter']>, nowMs: number): boolean {
    this.#failedTimes++;
    if ('times' in after) return this.#failedTimes >= after.times;
    if (Number.isNaN(this.#failingSinceMs)) this.#failingSinceMs = nowMs;
    return nowMs - this.#failingSinceMs >= after.holdMs;
  }

  /** Counts a pass. True once the rule has passed for as long, or as often, as `clears` requires. */
  isPassingFor(clears: CatalogueEntry['clears'], nowMs: number): boolean {
    if (clears.how === 'key-frames') return ++this.#passedTimes >= clears.times;
    if (clears.how !== 'window') return true;
    if (Number.isNaN(this.#passingSinceMs)) this.#passingSinceMs = nowMs;
    return nowMs - this.#passingSinceMs >= clears.insideMs;
  }

  resetFailing(): void {
    this.#failingSinceMs = Number.NaN;
    this.#failedTimes = 0;
  }

  resetPassing(): void {
    this.#passingSinceMs = Number.NaN;
    this.#passedTimes = 0;
  }
}
