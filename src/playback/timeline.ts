/**
 * Times as players get them: from 0 on, without the jumps of an encoder's clock, and on without a seam when the encoder
 * comes back. Audio and video are moved together.
 */

/** A jump beyond these is the encoder's clock, not the stream. */
const BACK_MS = 5_000;
const FORWARD_MS = 10_000;
/** What follows a seam comes this much later: about a frame. */
export const SEAM_MS = 33;

export class Timeline {
  #fromMs: number | undefined;
  #toMs: number;
  #lastMs: number;

  /** `startMs`: the time of what comes first. */
  constructor(startMs = 0) {
    this.#toMs = startMs;
    this.#lastMs = startMs - SEAM_MS;
  }

  /** The latest time that was given; before the first one, what stands before the start. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** `timestampMs`: 32-bit milliseconds that wrap. The answer does not (49 days of watching one stream are not served). */
  at(timestampMs: number): number {
    let atMs = this.#fromMs === undefined ? Number.NaN : this.#toMs + ((timestampMs - this.#fromMs) | 0);
    const jumps = !(atMs >= this.#lastMs - BACK_MS && atMs <= this.#lastMs + FORWARD_MS);
    if (jumps) {
      this.#fromMs = timestampMs;
      this.#toMs = this.#lastMs + SEAM_MS;
      atMs = this.#toMs;
    }
    // Audio that is older than the picture that everything began with.
    atMs = Math.max(atMs, this.#toMs);
    this.#lastMs = Math.max(this.#lastMs, atMs);
    return atMs;
  }
}
