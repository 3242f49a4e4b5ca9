/** Media time compared with wall time, for rules on arrival. Times are milliseconds of the monotonic clock. */
import type { Measures } from '../measures/measures.js';

/** Interval between samples of (wall time, media time). */
const SAMPLE_MS = 1000;

export class ArrivalFacts {
  connected = false;
  nowAtMs = 0;
  connectedAtMs = 0;
  /** Arrival of the last packet of any kind. */
  lastPacketAtMs = 0;
  /** Media time per wall time over the window; NaN until the window is full. */
  ratio = Number.NaN;
  /** How far media time is ahead of wall time, since the first frame of the connection. */
  leadMs = 0;
  /** The largest lead of the baseline period; undefined until that is over. */
  baselineLeadMs: number | undefined = undefined;
  readonly #measures: Measures;
  readonly #sampleAtMs: Float64Array;
  readonly #sampleMediaMs: Float64Array;
  #samples = 0;
  #firstFrameAtMs = Number.NaN;
  #firstMediaMs = 0;
  #largestLeadMs = 0;

  constructor(measures: Measures) {
    this.#measures = measures;
    const kept = Math.ceil(measures.starvedWindowMs / SAMPLE_MS) + 2;
    this.#sampleAtMs = new Float64Array(kept);
    this.#sampleMediaMs = new Float64Array(kept);
  }

  connect(atMs: number, mediaMs: number): void {
    this.connected = true;
    this.nowAtMs = atMs;
    this.connectedAtMs = atMs;
    this.lastPacketAtMs = atMs;
    this.ratio = Number.NaN;
    this.leadMs = 0;
    this.baselineLeadMs = undefined;
    this.#firstFrameAtMs = Number.NaN;
    this.#largestLeadMs = 0;
    this.#samples = 0;
    this.#sample(atMs, mediaMs);
  }

  disconnect(atMs: number): void {
    this.connected = false;
    this.nowAtMs = Math.max(this.nowAtMs, atMs);
  }

  packet(atMs: number): void {
    if (atMs > this.nowAtMs) this.nowAtMs = atMs;
    this.lastPacketAtMs = this.nowAtMs;
  }

  tick(atMs: number, mediaMs: number): void {
    if (atMs > this.nowAtMs) this.nowAtMs = atMs;
    if (!this.connected) return;
    const size = this.#sampleAtMs.length;
    const last = this.#sampleAtMs[(this.#samples - 1) % size] as number;
    if (this.nowAtMs - last >= SAMPLE_MS) this.#sample(this.nowAtMs, mediaMs);
    this.#measureRatio(mediaMs);
  }

  /** Media time has advanced to `mediaMs` (stream time). */
  media(mediaMs: number): void {
    const atMs = this.nowAtMs;
    if (Number.isNaN(this.#firstFrameAtMs)) {
      this.#firstFrameAtMs = atMs;
      this.#firstMediaMs = mediaMs;
    }
    const sinceFirstMs = atMs - this.#firstFrameAtMs;
    this.leadMs = mediaMs - this.#firstMediaMs - sinceFirstMs;
    if (sinceFirstMs <= this.#measures.leadBaselineMs) this.#largestLeadMs = Math.max(this.#largestLeadMs, this.leadMs);
    else this.baselineLeadMs = this.#largestLeadMs;
  }

  #sample(atMs: number, mediaMs: number): void {
    const at = this.#samples++ % this.#sampleAtMs.length;
    this.#sampleAtMs[at] = atMs;
    this.#sampleMediaMs[at] = mediaMs;
  }

  /** Uses the newest sample that is at least one window old. */
  #measureRatio(mediaMs: number): void {
    const size = this.#sampleAtMs.length;
    const kept = Math.min(size, this.#samples);
    this.ratio = Number.NaN;
    for (let back = 1; back <= kept; back++) {
      const at = (this.#samples - back) % size;
      const overMs = this.nowAtMs - (this.#sampleAtMs[at] as number);
      if (overMs < this.#measures.starvedWindowMs) continue;
      this.ratio = (mediaMs - (this.#sampleMediaMs[at] as number)) / overMs;
      return;
    }
  }
}
