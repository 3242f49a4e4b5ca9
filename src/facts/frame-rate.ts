/**
 * Frames counted, never believed: the timing in an SPS is often nonsense. The class (30 or 60) is settled from the first
 * seconds and sticks; the usual distance between frames, taken from the same seconds, tells which frames are missing later.
 */
import type { Measures } from './measures.js';
import { EventWindow, RollingSum } from './rolling.js';

export type FrameRateClass = 30 | 60;

/** Distances are counted in whole milliseconds up to this one. */
const DISTANCES = 256;
/** Beyond this many times the usual distance, a frame is missing in between. */
const GAP = 1.5;
/** Distances this close to the median are the usual one; with fewer of them than this share, the rate is variable. */
const NEAR = 0.25;
const REGULAR_SHARE = 0.8;

export class FrameRate {
  /** Undefined until the first seconds are over. Goes on over connections. */
  class: FrameRateClass | undefined = undefined;
  /** The highest class since the header came: frames that go missing later do not change what was set. */
  classOfHeader: FrameRateClass | undefined = undefined;
  /** Mean of the mean window; 0 while it is not full. */
  meanFps = 0;
  /** Share of the frames expected that are missing in the window for it; NaN while that cannot be said. */
  missingRatio = Number.NaN;
  /** Usual distance of frames in this connection; 0 while unknown, and as long as the rate is variable. */
  usualMs = 0;
  readonly #measures: Measures['frameRate'];
  readonly #meanBuckets: number;
  readonly #droppedBuckets: number;
  readonly #secondBuckets: number;
  readonly #frames: EventWindow;
  readonly #missing: RollingSum;
  /** Frames by their distance from the one before; there while that is learnt. */
  #distances: Uint16Array | undefined;
  #settling = true;
  #settleFromMs = Number.NaN;
  #settleFrames = 0;
  #leavingSinceMs = Number.NaN;
  /** The header changed and the class has not moved since. */
  #isOtherHeader = false;

  constructor(measures: Measures) {
    this.#measures = measures.frameRate;
    this.#meanBuckets = Math.round(measures.frameRate.meanMs / measures.beatMs);
    this.#droppedBuckets = Math.round(measures.frameRate.droppedWindowMs / measures.beatMs);
    this.#secondBuckets = Math.round(1000 / measures.beatMs);
    this.#frames = new EventWindow(Math.max(this.#meanBuckets, this.#droppedBuckets));
    this.#missing = new RollingSum(this.#droppedBuckets);
  }

  /** Windows begin anew (jump, other header, other connection); the class stays. */
  restart(): void {
    this.#frames.restart();
    this.#missing.restart();
    this.meanFps = 0;
    this.missingRatio = Number.NaN;
    this.#leavingSinceMs = Number.NaN;
    if (this.#settling) this.#beginSettling();
  }

  /** Another connection, or another header in this one: the usual distance is learnt anew as well. */
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

  /** Windows have moved, and a frame at `timeMs` is about to be added. True when the class moved. */
  beat(timeMs: number): boolean {
    this.meanFps = this.#frames.isFull(this.#meanBuckets) ? this.#frames.ratePerSecond(this.#meanBuckets, timeMs) : 0;
    this.#measureMissing(timeMs);
    return this.#leave(timeMs);
  }

  /** Adds a frame that came `stepMs` after the one before. True when the class was settled by it. */
  frame(timeMs: number, stepMs: number): boolean {
    if (this.usualMs > 0 && stepMs > GAP * this.usualMs) this.#missing.add(Math.round(stepMs / this.usualMs) - 1);
    this.#frames.add(timeMs);
    return this.#settling && this.#settle(timeMs, stepMs);
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
    const distance = Math.min(DISTANCES - 1, Math.max(0, Math.round(stepMs)));
    this.#distances ??= new Uint16Array(DISTANCES);
    this.#distances[distance] = (this.#distances[distance] as number) + 1;
    const overMs = timeMs - this.#settleFromMs;
    if (overMs < this.#measures.settleMs) return false;
    this.usualMs = usualDistance(this.#distances, this.#settleFrames);
    const fps = (this.#settleFrames * 1000) / overMs;
    this.#settling = this.usualMs === 0;
    this.#beginSettling();
    if (this.class !== undefined) return false;
    this.class = fps > this.#measures.settleFps ? 60 : 30;
    this.classOfHeader = this.class;
    return true;
  }

  /** The class moves only after a long time on the other side of its border. */
  #leave(timeMs: number): boolean {
    if (this.class === undefined || !this.#frames.isFull(this.#secondBuckets)) return false;
    const fps = this.#frames.ratePerSecond(this.#secondBuckets, timeMs);
    const outside = this.class === 30 ? fps > this.#measures.leave30Fps : fps < this.#measures.leave60Fps;
    if (!outside) {
      this.#leavingSinceMs = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.#leavingSinceMs)) this.#leavingSinceMs = timeMs;
    if (timeMs - this.#leavingSinceMs < this.#measures.leaveMs) return false;
    const wasSlower = this.class === 30;
    this.class = wasSlower ? 60 : 30;
    this.#leavingSinceMs = Number.NaN;
    // More frames than before are the new usual; fewer may be missing ones, so what was usual stays expected.
    if (wasSlower || this.#isOtherHeader) this.classOfHeader = this.class;
    this.#isOtherHeader = false;
    if (wasSlower) this.#learn();
    return true;
  }

  /** Gaps count as missing frames only as far as the frames really are fewer: uneven stamps are no loss. */
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

/** Mean of the distances near the median; 0 when they are too few to expect anything of the next frame. */
function usualDistance(distances: Uint16Array, frames: number): number {
  let below = 0;
  let median = 0;
  while (median < DISTANCES - 1 && below + (distances[median] as number) <= frames / 2) {
    below += distances[median++] as number;
  }
  let count = 0;
  let sum = 0;
  const slack = Math.max(1, NEAR * median);
  for (let distance = Math.ceil(median - slack); distance <= Math.min(DISTANCES - 2, median + slack); distance++) {
    count += distances[distance] as number;
    sum += distance * (distances[distance] as number);
  }
  return count >= REGULAR_SHARE * frames ? sum / count : 0;
}
