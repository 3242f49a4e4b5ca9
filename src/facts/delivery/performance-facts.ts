/** OBS's own measurements of the last seconds, as sent with the key frames of the first track. Shares are NaN while unknown. */
import type { PerformanceMessages } from '../../media/h264/bpm.js';

/** Key frames kept; the interval is at most a few seconds. */
const KEPT = 16;
const FIELDS = 6;

export class PerformanceFacts {
  /** Share of frames that were rendered too late, that the encoder skipped, that the send queue dropped. */
  lagged = Number.NaN;
  skipped = Number.NaN;
  dropped = Number.NaN;
  /** From composition to the send queue of the encoder, by its clock alone. */
  encodingMs = Number.NaN;
  /** From composition to the arrival of the frame, by both clocks; negative if they differ. */
  latencyMs = Number.NaN;
  readonly #windowMs: number;
  /** Created with the first message: few streams have any. */
  #atMs: Float64Array | undefined;
  #counts = new Float64Array(0);
  #next = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  reset(): void {
    this.#atMs = undefined;
    this.lagged = Number.NaN;
    this.skipped = Number.NaN;
    this.dropped = Number.NaN;
    this.encodingMs = Number.NaN;
    this.latencyMs = Number.NaN;
  }

  /** The messages of the key frame at stream time `timeMs`, which arrived at wall time `wallMs` (NaN for a file). */
  add(sent: PerformanceMessages, timeMs: number, wallMs: number): void {
    if (sent.isEmpty) return;
    if (!Number.isNaN(sent.composedMs)) {
      this.encodingMs = sent.interleavedMs - sent.composedMs;
      this.latencyMs = wallMs - sent.composedMs;
    }
    if (!sent.hasSession && !sent.hasEncoder) return;
    if (this.#atMs === undefined) {
      this.#atMs = new Float64Array(KEPT).fill(Number.NEGATIVE_INFINITY);
      this.#counts = new Float64Array(KEPT * FIELDS);
    }
    const row = this.#next++ % KEPT;
    this.#atMs[row] = timeMs;
    const at = row * FIELDS;
    this.#counts[at] = sent.hasSession ? sent.lagged : 0;
    this.#counts[at + 1] = sent.hasSession ? sent.rendered : 0;
    this.#counts[at + 2] = sent.hasEncoder ? sent.skipped : 0;
    this.#counts[at + 3] = sent.hasEncoder ? sent.input : 0;
    this.#counts[at + 4] = sent.hasSession ? sent.dropped : 0;
    this.#counts[at + 5] = sent.hasSession ? sent.sent : 0;
    this.lagged = this.#share(0, timeMs);
    this.skipped = this.#share(2, timeMs);
    this.dropped = this.#share(4, timeMs);
  }

  #share(field: number, nowMs: number): number {
    let part = 0;
    let all = 0;
    for (let row = 0; row < KEPT; row++) {
      if (nowMs - ((this.#atMs as Float64Array)[row] as number) > this.#windowMs) continue;
      part += this.#counts[row * FIELDS + field] as number;
      all += this.#counts[row * FIELDS + field + 1] as number;
    }
    return all > 0 ? Math.min(1, part / all) : Number.NaN;
  }
}
