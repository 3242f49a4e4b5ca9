/**
 * Frame rate measured by counting frames, because the timing information of an SPS is often wrong. The class (30 or 60) is
 * determined from the first seconds and changes slowly; the usual frame interval, from the same seconds, shows later which
 * frames are missing.
 */
import type { Measures } from '../measures/measures.js';
import { EventWindow, RollingSum } from '../measures/rolling.js';

export type FrameRateClass = 30 | 60;

/** Frame intervals are counted in whole milliseconds below this one. */
const DISTANCES = 256;
/** An interval of more than this many usual ones contains a missing frame. */
const GAP = 1.5;
/** Intervals within this share of the median count as usual; if fewer than `REGULAR_SHARE` are, the rate is variable. */
const NEAR = 0.25;
const REGULAR_SHARE = 0.8;
/** A lower rate is a new class only if this share of the intervals is this near to the median: a loss of frames is irregular. */
const STEADY_NEAR = 0.1;
const STEADY_SHARE = 0.9;

export class FrameRate {
  /** Undefined until the first seconds are over. Kept over reconnects. */
  class: FrameRateClass | undefined = undefined;
  /** The highest class since the sequence header: frames that go missing later do not lower the configured rate. */
  classOfHeader: FrameRateClass | undefined = undefined;
  /** Mean over the mean window; 0 until that is full. */
  meanFps = 0;
  /** Share of expected frames missing in the dropped-frames window; NaN while unknown. */
  missingRatio = Number.NaN;
  /** Usual frame interval in this connection; 0 while unknown or variable. */
  usualMs = 0;
  readonly #measures: Measures['frameRate'];
  readonly #meanBuckets: number;
  readonly #droppedBuckets: number;
  readonly #secondBuckets: number;
  readonly #frames: EventWindow;
  readonly #missing: RollingSum;
  /** Histogram of frame intervals; present while the usual interval is being learned. */
  #distances: Uint16Array | undefined;
  #settling = true;
  #settleFromMs = Number.NaN;
  #settleFrames = 0;
  #leavingSinceMs = Number.NaN;
  /** Histogram of frame intervals since then, while frames are fewer. */
  #fewerDistances: Uint16Array | undefined;
  #fewerFrames = 0;
  /** The header changed and the class has not changed since. */
  #isOtherHeader = false;

  constructor(measures: Measures) {
    this.#measures = measures.frameRate;
    this.#meanBuckets = Math.round(measures.frameRate.meanMs / measures.beatMs);
    this.#droppedBuckets = Math.round(measures.frameRate.droppedWindowMs / measures.beatMs);
    this.#secondBuckets = Math.round(1000 / measures.beatMs);
    this.#frames = new EventWindow(Math.max(this.#meanBuckets, this.#droppedBuckets));
    this.#missing = new RollingSum(this.#droppedBuckets);
  }

  /** Restarts the windows (jump, new header, new connection); the class stays. */
  restart(): void {
    this.#frames.restart();
    this.#missing.restart();
    this.meanFps = 0;
    this.missingRatio = Number.NaN;
    this.#stay();
    if (this.#settling) this.#beginSettling();
  }

  /** New connection, or new header in this one: restarts the windows and learns the usual interval again. */
  relearn(isOtherHeader: boolean): void {
    this.#isOtherHeader = isOtherHeader;
    this.classOfHeader = this.class;
    this.#learn();
    this.restart();
  }

  #learn(): void {
    this.usualMs = 0;
    this.#settling = true;
    this.#beginSettling();
  }

  /** Completes a bucket. */
  roll(): void {
    this.#frames.roll();
    this.#missing.roll();
  }

  /** Call when the windows have moved, before the frame at `timeMs` is added. True if the class changed. */
  beat(timeMs: number): boolean {
    this.meanFps = this.#frames.isFull(this.#meanBuckets) ? this.#frames.ratePerSecond(this.#meanBuckets, timeMs) : 0;
    this.#measureMissing(timeMs);
    return this.#leave(timeMs);
  }

  /** Adds a frame `stepMs` after the previous one. True if it determined the class. */
  frame(timeMs: number, stepMs: number): boolean {
    if (this.usualMs > 0 && stepMs > GAP * this.usualMs) this.#missing.add(Math.round(stepMs / this.usualMs) - 1);
    this.#frames.add(timeMs);
    if (this.#fewerDistances !== undefined) {
      tally(this.#fewerDistances, stepMs);
      this.#fewerFrames++;
    }
    return this.#settling && this.#settle(timeMs, stepMs);
  }

  /** Measures over all frames since the restart, where the windows never filled. True if it determined the class. */
  measureWhole(timeMs: number, minMs: number): boolean {
    const fps = this.#frames.ratePerSecondOfAll(timeMs);
    if (Number.isNaN(fps)) return false;
    const spanMs = ((this.#frames.countOfAll - 1) * 1000) / fps;
    if (spanMs < minMs) return false;
    if (this.meanFps === 0) this.meanFps = fps;
    if (Number.isNaN(this.missingRatio) && this.usualMs > 0) this.missingRatio = this.#missingOf(spanMs);
    if (this.class !== undefined) return false;
    this.class = fps > this.#measures.settleFps ? 60 : 30;
    this.classOfHeader = this.class;
    return true;
  }

  #missingOf(spanMs: number): number {
    const expected = spanMs / this.usualMs;
    const fewer = expected - (this.#frames.countOfAll - 1);
    return Math.max(0, Math.min(this.#missing.total, fewer)) / expected;
  }

  #beginSettling(): void {
    this.#settleFromMs = Number.NaN;
    this.#settleFrames = 0;
    this.#distances = undefined;
  }

  #settle(timeMs: number, stepMs: number): boolean {
    if (Number.isNaN(this.#settleFromMs)) {
      this.#settleFromMs = timeMs;
      return false;
    }
    this.#settleFrames++;
    this.#distances ??= new Uint16Array(DISTANCES);
    tally(this.#distances, stepMs);
    const overMs = timeMs - this.#settleFromMs;
    if (overMs < this.#measures.settleMs) return false;
    this.usualMs = usualDistance(this.#distances, this.#settleFrames, NEAR, REGULAR_SHARE);
    const fps = (this.#settleFrames * 1000) / overMs;
    this.#settling = this.usualMs === 0;
    this.#beginSettling();
    if (this.class !== undefined) return false;
    this.class = fps > this.#measures.settleFps ? 60 : 30;
    this.classOfHeader = this.class;
    return true;
  }

  /**
   * The class changes only after a long time on the other side of its border, and falls under the same header only if
   * frames come at a steady lower rate all that time.
   */
  #leave(timeMs: number): boolean {
    if (this.class === undefined || !this.#frames.isFull(this.#secondBuckets)) return false;
    const fps = this.#frames.ratePerSecond(this.#secondBuckets, timeMs);
    const wasSlower = this.class === 30;
    const outside = wasSlower ? fps > this.#measures.leave30Fps : fps < this.#measures.leave60Fps;
    if (!outside) {
      this.#stay();
      return false;
    }
    if (Number.isNaN(this.#leavingSinceMs)) {
      this.#leavingSinceMs = timeMs;
      if (!wasSlower) this.#fewerDistances = new Uint16Array(DISTANCES);
    }
    if (timeMs - this.#leavingSinceMs < this.#measures.leaveMs) return false;
    const isChange = wasSlower || this.#isOtherHeader || this.#isSteady();
    this.#stay();
    if (!isChange) return false;
    this.class = wasSlower ? 60 : 30;
    // The level in the header was chosen for the highest rate since.
    if (wasSlower || this.#isOtherHeader) this.classOfHeader = this.class;
    this.#isOtherHeader = false;
    this.#learn();
    return true;
  }

  #stay(): void {
    this.#leavingSinceMs = Number.NaN;
    this.#fewerDistances = undefined;
    this.#fewerFrames = 0;
  }

  #isSteady(): boolean {
    if (this.#fewerDistances === undefined) return false;
    const steadyMs = usualDistance(this.#fewerDistances, this.#fewerFrames, STEADY_NEAR, STEADY_SHARE);
    return steadyMs * this.#measures.leave60Fps > 1000;
  }

  /** Gaps count as missing frames only up to the actual deficit of frames: uneven timestamps are not a loss. */
  #measureMissing(timeMs: number): void {
    if (this.usualMs === 0 || this.class === undefined || !this.#frames.isFull(this.#droppedBuckets)) {
      this.missingRatio = Number.NaN;
      return;
    }
    const expected = (timeMs - this.#frames.firstOver(this.#droppedBuckets)) / this.usualMs;
    const fewer = expected - this.#frames.countOver(this.#droppedBuckets);
    this.missingRatio = expected > 0 ? Math.max(0, Math.min(this.#missing.shortSum, fewer)) / expected : 0;
  }
}

function tally(distances: Uint16Array, stepMs: number): void {
  const distance = Math.min(DISTANCES - 1, Math.max(0, Math.round(stepMs)));
  distances[distance] = (distances[distance] as number) + 1;
}

/** Mean of the intervals within the share `near` of the median; 0 if fewer than `share` are, i.e. the rate is variable. */
function usualDistance(distances: Uint16Array, frames: number, near: number, share: number): number {
  let below = 0;
  let median = 0;
  while (median < DISTANCES - 1 && below + (distances[median] as number) <= frames / 2) {
    below += distances[median++] as number;
  }
  let count = 0;
  let sum = 0;
  const slack = Math.max(1, near * median);
  for (let distance = Math.ceil(median - slack); distance <= Math.min(DISTANCES - 2, median + slack); distance++) {
    count += distances[distance] as number;
    sum += distance * (distances[distance] as number);
  }
  return count >= share * frames ? sum / count : 0;
}
