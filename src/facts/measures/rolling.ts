/** Sums and counts over the last n buckets of media time. Windows contain complete buckets only. */

/** Counts the buckets that media time has completed. Time that goes backward stays in the current bucket. */
export class BucketGrid {
  readonly #widthMs: number;
  #nextMs = Number.NaN;
  /** Start of the first bucket; NaN before it. */
  startMs = Number.NaN;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  /** The next time passed to `advance` begins the first bucket. */
  restart(): void {
    this.#nextMs = Number.NaN;
    this.startMs = Number.NaN;
  }

  /** Number of buckets completed by this advance. */
  advance(timeMs: number): number {
    if (timeMs < this.#nextMs) return 0;
    if (Number.isNaN(this.#nextMs)) {
      this.#nextMs = timeMs + this.#widthMs;
      this.startMs = timeMs;
      return 0;
    }
    const moved = Math.floor((timeMs - this.#nextMs) / this.#widthMs) + 1;
    this.#nextMs += moved * this.#widthMs;
    return moved;
  }
}

/** A sum over the last `short` and the last `long` buckets. */
export class RollingSum {
  readonly #ring: Uint32Array;
  readonly #short: number;
  #at = 0;
  #current = 0;
  #completed = 0;
  #shortSum = 0;
  #longSum = 0;
  /** Since the restart, the current bucket included. A double from the start: bytes exceed a small integer. */
  total = Number.NaN;

  constructor(short: number, long = short) {
    this.#ring = new Uint32Array(long);
    this.#short = short;
    this.total = 0;
  }

  restart(): void {
    this.#current = 0;
    this.#completed = 0;
    this.#shortSum = 0;
    this.#longSum = 0;
    this.total = 0;
  }

  add(value: number): void {
    this.total += value;
    this.#current += value;
  }

  /** Completes the current bucket. */
  roll(): void {
    const ring = this.#ring;
    const long = ring.length;
    const current = this.#current;
    this.#longSum += current - (this.#completed >= long ? (ring[this.#at] as number) : 0);
    const leaving = (this.#at + long - this.#short) % long;
    this.#shortSum += current - (this.#completed >= this.#short ? (ring[leaving] as number) : 0);
    ring[this.#at] = current;
    this.#at = (this.#at + 1) % long;
    if (this.#completed < long) this.#completed++;
    this.#current = 0;
  }

  get current(): number {
    return this.#current;
  }

  /** Over the last `short` complete buckets. */
  get shortSum(): number {
    return this.#shortSum;
  }

  get longSum(): number {
    return this.#longSum;
  }

  get shortIsFull(): boolean {
    return this.#completed >= this.#short;
  }

  get longIsFull(): boolean {
    return this.#completed >= this.#ring.length;
  }
}

/**
 * Events with their times, so that a rate is measured from event to event and not between bucket edges: over 5 s of
 * whole-millisecond timestamps it is exact to 0.02 %.
 */
export class EventWindow {
  /** Cumulative events before each bucket, so that a count over any number of buckets is one subtraction. */
  readonly #before: Uint32Array;
  /** Time of the first event of each bucket; NaN if empty. */
  readonly #firsts: Float64Array;
  /** State of the current bucket. */
  #hasFirst = false;
  #at = 0;
  #total = 0;
  #completed = 0;

  constructor(buckets: number) {
    this.#before = new Uint32Array(buckets + 1);
    this.#firsts = new Float64Array(buckets + 1).fill(Number.NaN);
  }

  restart(): void {
    this.#completed = 0;
    this.#before[this.#at] = this.#total;
    this.#firsts[this.#at] = Number.NaN;
    this.#hasFirst = false;
  }

  add(timeMs: number): void {
    this.#total++;
    if (this.#hasFirst) return;
    this.#hasFirst = true;
    this.#firsts[this.#at] = timeMs;
  }

  roll(): void {
    this.#at = (this.#at + 1) % this.#before.length;
    this.#before[this.#at] = this.#total;
    this.#firsts[this.#at] = Number.NaN;
    this.#hasFirst = false;
    if (this.#completed < this.#before.length - 1) this.#completed++;
  }

  isFull(buckets: number): boolean {
    return this.#completed >= buckets;
  }

  /** Events of the last `buckets` complete buckets and of the current one. Requires `isFull`. */
  countOver(buckets: number): number {
    return this.#total - (this.#before[this.#index(buckets)] as number);
  }

  /** Time of the oldest event of the last `buckets` complete buckets and the current one; NaN if there is none. */
  firstOver(buckets: number): number {
    for (let back = buckets; back >= 0; back--) {
      const firstMs = this.#firsts[this.#index(back)] as number;
      if (!Number.isNaN(firstMs)) return firstMs;
    }
    return Number.NaN;
  }

  /** Events per second from the oldest in the window to an event at `nowMs` not yet added; 0 if there is none. */
  ratePerSecond(buckets: number, nowMs: number): number {
    const firstMs = this.firstOver(buckets);
    return nowMs > firstMs ? (this.countOver(buckets) * 1000) / (nowMs - firstMs) : 0;
  }

  /** Events per second from the oldest event in the window to the last one added, at `lastMs`; NaN below two events. */
  ratePerSecondOfAll(lastMs: number): number {
    const firstMs = this.firstOver(this.#completed);
    return lastMs > firstMs ? ((this.countOver(this.#completed) - 1) * 1000) / (lastMs - firstMs) : Number.NaN;
  }

  /** Events in the window, the current bucket included. */
  get countOfAll(): number {
    return this.countOver(this.#completed);
  }

  #index(back: number): number {
    const size = this.#before.length;
    return (this.#at + size - back) % size;
  }
}
