/** The mean bitrate of a track, over the start of it: containers often leave it out or get it wrong. */

/** By presentation, from the first frame on. */
const MEASURED_MS = 120_000;
/** A shorter track has no meaningful mean. */
const LEAST_MS = 1000;

export class MeanBitrate {
  #bytes = 0;
  #frames = 0;
  #firstMs = Number.NaN;
  #lastMs = Number.NaN;
  #lastDurationMs = 0;
  #endMs = Number.NaN;

  /** `durationMs` of 0: unknown. */
  take(decodeMs: number, presentationMs: number, durationMs: number, bytes: number): void {
    if (this.#frames === 0) {
      this.#firstMs = decodeMs;
      this.#endMs = presentationMs + MEASURED_MS;
    } else if (presentationMs >= this.#endMs) {
      // Frames that follow are not measured, whatever their times.
      this.#endMs = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#bytes += bytes;
    this.#frames++;
    this.#lastMs = decodeMs;
    this.#lastDurationMs = durationMs;
  }

  /** Undefined: less than a second was measured. */
  get kbps(): number | undefined {
    return this.#lengthMs >= LEAST_MS ? this.shortKbps : undefined;
  }

  /** The mean bitrate of a track of any length; undefined: it has no length. */
  get shortKbps(): number | undefined {
    return this.#lengthMs > 0 ? (this.#bytes * 8) / this.#lengthMs : undefined;
  }

  /** A last frame of unknown duration lasts as long as the mean of those before. */
  get #lengthMs(): number {
    const betweenMs = this.#lastMs - this.#firstMs;
    return betweenMs + (this.#lastDurationMs || betweenMs / (this.#frames - 1));
  }
}
