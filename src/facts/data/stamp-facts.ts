/** Regularity of timestamps: video intervals, repeated stamps, audio frame lengths. Beyond the published document. */

/** Intervals are counted in whole milliseconds below this one. */
const INTERVALS = 256;
/** 10 s at 60 fps, and room for bursts. */
const KEPT = 1024;
const JITTER_QUANTILE = 0.95;
/** A decoder holds 16 frames at most. */
const MAX_REORDERED = 16;

/** Distribution of the frame intervals of the last frames. */
export class IntervalSpread {
  readonly #ring = new Uint8Array(KEPT);
  readonly #counts = new Uint16Array(INTERVALS);
  #at = 0;
  #size = 0;
  #sumMs = 0;
  readonly #windowMs: number;
  /** Median interval, and the 95th percentile of the distance from it; NaN until the window is full. */
  medianMs = Number.NaN;
  jitterMs = Number.NaN;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  restart(): void {
    this.#counts.fill(0);
    this.#size = 0;
    this.#sumMs = 0;
    this.medianMs = Number.NaN;
    this.jitterMs = Number.NaN;
  }

  add(intervalMs: number): void {
    const value = Math.max(0, Math.min(INTERVALS - 1, Math.round(intervalMs)));
    if (this.#size === KEPT) this.#drop();
    this.#ring[this.#at] = value;
    this.#at = (this.#at + 1) % KEPT;
    this.#size++;
    this.#sumMs += value;
    this.#counts[value] = (this.#counts[value] as number) + 1;
    while (this.#sumMs - this.#oldest > this.#windowMs) this.#drop();
  }

  /** Computes the two figures; call about once a second. */
  measure(): void {
    this.medianMs = Number.NaN;
    this.jitterMs = Number.NaN;
    if (this.#sumMs < this.#windowMs - INTERVALS) return;
    const median = this.#quantile(0, 0.5);
    this.medianMs = median;
    this.jitterMs = this.#quantile(median, JITTER_QUANTILE);
  }

  get #oldest(): number {
    return this.#ring[(this.#at + KEPT - this.#size) % KEPT] as number;
  }

  #drop(): void {
    const value = this.#oldest;
    this.#size--;
    this.#sumMs -= value;
    this.#counts[value] = (this.#counts[value] as number) - 1;
  }

  /** Quantile of the distance from `centerMs`. */
  #quantile(centerMs: number, share: number): number {
    const counts = this.#counts;
    let left = Math.ceil(this.#size * share);
    for (let distance = 0; distance < INTERVALS; distance++) {
      left -= counts[centerMs + distance] ?? 0;
      if (distance > 0) left -= counts[centerMs - distance] ?? 0;
      if (left <= 0) return distance;
    }
    return INTERVALS;
  }
}

/** Puts frames, which arrive in the order of decoding, into that of presentation. */
export class PresentationOrder {
  /** Ascending: no picture is decoded further ahead of the one that is shown before it (H.264 A.3.1). */
  readonly #waiting = new Float64Array(MAX_REORDERED + 1);
  #size = 0;
  #shownMs = Number.NaN;

  restart(): void {
    this.#size = 0;
    this.#shownMs = Number.NaN;
  }

  push(presentationMs: number): void {
    const waiting = this.#waiting;
    let at = this.#size++;
    for (; at > 0 && (waiting[at - 1] as number) > presentationMs; at--) waiting[at] = waiting[at - 1] as number;
    waiting[at] = presentationMs;
  }

  /** Interval between the next two frames, neither of which a frame decoded after `decodeMs` can come before; -1 if there is none yet. */
  next(decodeMs: number): number {
    const waiting = this.#waiting;
    while (this.#size > 0 && (this.#size > MAX_REORDERED || (waiting[0] as number) <= decodeMs)) {
      const beforeMs = this.#shownMs;
      this.#shownMs = waiting[0] as number;
      waiting.copyWithin(0, 1, this.#size--);
      if (this.#shownMs >= beforeMs) return this.#shownMs - beforeMs;
    }
    return -1;
  }
}

/** Times of the last few events, to tell how many lie within a window. */
export class RecentTimes {
  readonly #times: Float64Array;
  #at = 0;

  constructor(count: number) {
    this.#times = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  }

  restart(): void {
    this.#times.fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds an event. True if all of the last `count` ones lie within `windowMs`. */
  add(timeMs: number, windowMs: number): boolean {
    this.#times[this.#at] = timeMs;
    this.#at = (this.#at + 1) % this.#times.length;
    return timeMs - (this.#times[this.#at] as number) <= windowMs;
  }
}
