/** The last gap in the arrival of a stream, and what followed it. Times are milliseconds of the monotonic clock. */

/** Within this time after a gap, what was missed must have come. */
export const CATCH_UP_MS = 10_000;
const CAUGHT_UP = 0.5;
/** A step of the stamps that covers this share of the gap is a pause of the source. */
const JUMPED = 0.5;

export const NO_GAP = 0;
/** Ended; whether its media follows is not known yet. */
export const GAP_ENDED = 1;
/** Its media followed in a burst, with unbroken stamps. */
export const GAP_CAUGHT_UP = 2;
/** The stamps jumped by the gap: there is no media of that time. */
export const GAP_JUMPED = 3;
/** Neither. */
export const GAP_OTHER = 4;

type GapState = 0 | 1 | 2 | 3 | 4;

export class GapFacts {
  state: GapState = NO_GAP;
  lengthMs = 0;
  /** When it ended; once it is known what followed, when that was. */
  endedAtMs = Number.NEGATIVE_INFINITY;
  #lagBeforeMs = 0;
  #largestStepMs = 0;

  /** A connection begins. */
  reset(): void {
    this.state = NO_GAP;
    this.endedAtMs = Number.NEGATIVE_INFINITY;
  }

  end(lengthMs: number, lagBeforeMs: number, atMs: number): void {
    this.state = GAP_ENDED;
    this.lengthMs = lengthMs;
    this.endedAtMs = atMs;
    this.#largestStepMs = 0;
    this.#lagBeforeMs = lagBeforeMs;
  }

  /** The stamps of a track advanced by `stepMs`. */
  step(stepMs: number): void {
    if (this.state === GAP_ENDED && stepMs > this.#largestStepMs) this.#largestStepMs = stepMs;
  }

  /** Decides what followed, as far as it is known now. */
  judge(nowMs: number, lagMs: number): void {
    if (this.state !== GAP_ENDED) return;
    const sinceMs = nowMs - this.endedAtMs;
    if (this.#largestStepMs > JUMPED * this.lengthMs) this.state = GAP_JUMPED;
    else if (lagMs - this.#lagBeforeMs < CAUGHT_UP * this.lengthMs) this.state = GAP_CAUGHT_UP;
    else if (sinceMs > CATCH_UP_MS) this.state = GAP_OTHER;
    else return;
    this.endedAtMs = nowMs;
  }
}
