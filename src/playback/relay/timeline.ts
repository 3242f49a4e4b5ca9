/**
 * Player timestamps: they start at 0, skip jumps of the encoder's clock, and continue without a gap when the encoder
 * reconnects. Audio and video are shifted together.
 */

/** A larger jump is a change of the encoder's clock, not a pause of the stream. */
const BACK_MS = 5_000;
const FORWARD_MS = 10_000;
/** Distance of the first packet after a seam: about one frame. */
export const SEAM_MS = 33;

export class Timeline {
  #fromMs: number | undefined;
  #toMs: number;
  #lastMs: number;

  /** `startMs`: the time of the first packet. */
  constructor(startMs = 0) {
    this.#toMs = startMs;
    this.#lastMs = startMs - SEAM_MS;
  }

  /** The latest time that was returned; before the first one, just before the start. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** `timestampMs`: 32-bit milliseconds that wrap. The result does not wrap (49 days of one stream are not supported). */
  at(timestampMs: number): number {
    let atMs = this.#fromMs === undefined ? Number.NaN : this.#toMs + ((timestampMs - this.#fromMs) | 0);
    const jumps = !(atMs >= this.#lastMs - BACK_MS && atMs <= this.#lastMs + FORWARD_MS);
    if (jumps) {
      this.#fromMs = timestampMs;
      this.#toMs = this.#lastMs + SEAM_MS;
      atMs = this.#toMs;
    }
    // Audio older than the first frame is clamped to the start.
    atMs = Math.max(atMs, this.#toMs);
    this.#lastMs = Math.max(this.#lastMs, atMs);
    return atMs;
  }
}
