import type { CatalogueEntry } from '../catalogue-entry.js';
import type { LiveRule } from '../rule.js';

/** For how long, or how often, a rule has failed or passed without a break. Most rules of most streams pass and need no timers. */
export class RuleTimers {
  /** On the rule's clock; NaN when it is not. */
  #failingSinceMs = Number.NaN;
  #passingSinceMs = Number.NaN;
  #failedTimes = 0;
  #passedTimes = 0;

  /** It fails once more, now. True: for as long, or as often, as `after` says. */
  isFailingFor(after: NonNullable<LiveRule['raiseAfter']>, nowMs: number): boolean {
    this.#failedTimes++;
    if ('times' in after) return this.#failedTimes >= after.times;
    if (Number.isNaN(this.#failingSinceMs)) this.#failingSinceMs = nowMs;
    return nowMs - this.#failingSinceMs >= after.holdMs;
  }

  /** It passes once more, now. True: for as long, or as often, as its record takes to clear. */
  isPassingFor(clears: CatalogueEntry['clears'], nowMs: number): boolean {
    if (clears.how === 'key-frames') return ++this.#passedTimes >= clears.times;
    if (clears.how !== 'window') return true;
    if (Number.isNaN(this.#passingSinceMs)) this.#passingSinceMs = nowMs;
    return nowMs - this.#passingSinceMs >= clears.insideMs;
  }

  forgetFailing(): void {
    this.#failingSinceMs = Number.NaN;
    this.#failedTimes = 0;
  }

  forgetPassing(): void {
    this.#passingSinceMs = Number.NaN;
    this.#passedTimes = 0;
  }
}
