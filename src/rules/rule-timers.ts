/** For how long, or how often, a rule has been broken or kept without a break. Most streams keep most rules and need none of these. */
export class RuleTimers {
  /** On the rule's clock; NaN when it is not. */
  brokenSinceMs = Number.NaN;
  keptSinceMs = Number.NaN;
  brokenTimes = 0;
  keptTimes = 0;

  forgetBroken(): void {
    this.brokenSinceMs = Number.NaN;
    this.brokenTimes = 0;
  }

  forgetKept(): void {
    this.keptSinceMs = Number.NaN;
    this.keptTimes = 0;
  }
}
