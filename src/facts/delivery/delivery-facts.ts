/**
 * How a live stream arrives, in seconds of the clock: lag, rates, gaps, and what the server itself delayed. Packets add to
 * sums; everything else is computed once a second. Times are milliseconds of the monotonic clock.
 */

import { CATCH_UP_MS, GapFacts } from './gap-facts.js';
import { LossFacts, PAUSE_MS } from './loss-facts.js';

/** The server's knowledge of its own delay and of the connection, with each tick. */
export interface OwnDelay {
  /** How much later than due the clock's tick ran: the delay of the event loop. */
  readonly lateMs: number;
  /** Bytes that arrived in the kernel and were not read yet; measured every few seconds, absent in between. */
  readonly waitingBytes?: number | undefined;
  /** Segments of the connection so far that arrived out of order; measured as often while it is interrupted. */
  readonly outOfOrder?: number | undefined;
}

export const ON_TIME: OwnDelay = { lateMs: 0 };

/** Seconds kept: the window of the smallest lag. */
const KEPT = 60;
const SECOND_MS = 1000;
/** A stream that comes faster always has bytes waiting, as from a file. */
const MAX_RATIO = 1.1;
/** A server in time leaves less in the kernel at a look, whatever the bitrate; a starved one up to its limit. */
const WAITING_BYTES = 65_536;
/** Over which the rate of the waiting bytes is known. */
const RATE_SECONDS = 5;
/** Causes are named from 300 ms on; below that a lag is that of single frames, and of connections read at intervals. */
const EVEN_LAG_MS = 200;
const EVEN_SECONDS = 10;
/** A packet after a longer silence ends a gap. */
const GAP_MS = 2000;
/** If the gap's last message came at more than this share of the usual rate, it was on its way all the time. */
const FLOWED = 0.25;
/** A larger message than this many mean ones takes visibly longer on a full link. */
const LARGE = 3;
const AUDIO_GAP_MS = 200;
/** A server short of processor time is late again and again: the largest delay of this time is what it amounts to. */
const LATE_MS = 10_000;

/** A ring of one number for each second. */
class Seconds {
  readonly #values = new Float32Array(KEPT);

  set(second: number, value: number): void {
    this.#values[second % KEPT] = value;
  }

  at(second: number): number {
    return this.#values[second % KEPT] as number;
  }
}

/** Sums over the seconds, each as one subtraction: the rules of seven causes add up minutes of them, each second. */
class Totals {
  /** Up to the start of each second. */
  readonly #before = new Float64Array(KEPT + 1);

  set(second: number, value: number): void {
    this.#before[(second + 1) % this.#before.length] = this.#at(second) + value;
  }

  between(from: number, to: number): number {
    return this.#at(to) - this.#at(from);
  }

  #at(second: number): number {
    return this.#before[second % this.#before.length] as number;
  }
}

export class DeliveryFacts {
  /** Complete seconds since the first frame of the connection or the last jump of its stamps. */
  seconds = 0;
  readonly gap = new GapFacts();
  /** The largest delay of the server itself in the last 10 s, of those beyond `lateBoundMs`; and when the last of them was. */
  lateMs = 0;
  lateAtMs = Number.NEGATIVE_INFINITY;
  nowMs = 0;
  readonly loss = new LossFacts();
  readonly #lateBoundMs: number;
  readonly #lag = new Seconds();
  /** Smallest lag of the kept seconds: the rules of seven causes ask for it. */
  #smallestLagMs = Number.POSITIVE_INFINITY;
  readonly #wall = new Totals();
  readonly #media = new Totals();
  readonly #bytes = new Totals();
  readonly #largeBytes = new Seconds();
  readonly #largeMs = new Seconds();
  readonly #qp = new Seconds();
  readonly #audioGaps = new Seconds();
  #begun = false;
  #originMs = 0;
  #secondAtMs = 0;
  #secondMediaMs = 0;
  #secondLagMs = Number.POSITIVE_INFINITY;
  #secondBytes = 0;
  #secondLargeBytes = 0;
  #secondLargeMs = 0;
  #secondQp = 0;
  #secondQpFrames = 0;
  #secondAudioGaps = 0;
  #largeFrom = Number.POSITIVE_INFINITY;
  #messages = 0;
  #lastQueuedMs = 0;
  #lastQueuedBytes = 0;
  #latestAtMs = Number.NEGATIVE_INFINITY;
  /** The longest pause since the last tick, the delay of that tick, and when the stream itself paused last. */
  #pauseMs = 0;
  #delayBeforeMs = 0;
  #pausedAtMs = Number.NEGATIVE_INFINITY;

  constructor(lateBoundMs: number) {
    this.#lateBoundMs = lateBoundMs;
  }

  connect(): void {
    this.#begun = false;
    this.#noSeconds();
    this.gap.reset();
    this.#lastQueuedMs = 0;
    this.#lastQueuedBytes = 0;
    this.loss.restart();
    this.#pauseMs = 0;
    this.#pausedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A jump of the stamps: lags before and after it are not comparable. A gap that the jump explains is kept. */
  restart(): void {
    this.#begun = false;
    this.#noSeconds();
  }

  /** A message of `bytes` arrived `sinceMs` after the one before. */
  message(bytes: number, sinceMs: number, atMs: number): void {
    if (sinceMs > GAP_MS) this.#endGap(bytes, sinceMs, atMs);
    if (sinceMs >= PAUSE_MS) {
      this.loss.pause(bytes, sinceMs);
      if (sinceMs > this.#pauseMs) this.#pauseMs = sinceMs;
    }
    this.#messages++;
    this.#secondBytes += bytes;
    if (bytes < this.#largeFrom) return;
    this.#secondLargeBytes += bytes;
    this.#secondLargeMs += sinceMs;
  }

  video(qp: number): void {
    if (Number.isNaN(qp)) return;
    this.#secondQp += qp;
    this.#secondQpFrames++;
  }

  audio(stepMs: number): void {
    if (stepMs > AUDIO_GAP_MS) this.#secondAudioGaps++;
  }

  /** True when a second is complete. */
  tick(nowMs: number, mediaMs: number, hasMedia: boolean, own: OwnDelay): boolean {
    this.nowMs = nowMs;
    this.#late(own.lateMs, nowMs);
    this.#judgePause(own.lateMs, nowMs);
    if (own.waitingBytes !== undefined) this.#late(this.#queuedMs(own.waitingBytes), nowMs);
    if (own.outOfOrder !== undefined) this.loss.take(own.outOfOrder, nowMs);
    if (!hasMedia) return false;
    if (!this.#begun) this.#begin(nowMs, mediaMs);
    const lagMs = nowMs - mediaMs - this.#originMs;
    if (lagMs < this.#secondLagMs) this.#secondLagMs = lagMs;
    this.gap.judge(nowMs, lagMs);
    if (nowMs - this.#secondAtMs < SECOND_MS) return false;
    this.#roll(nowMs, mediaMs);
    return true;
  }

  #late(ms: number, nowMs: number): void {
    if (!(ms > this.#lateBoundMs)) return;
    this.lateAtMs = nowMs;
    if (ms < this.lateMs && nowMs - this.#latestAtMs < LATE_MS) return;
    this.lateMs = ms;
    this.#latestAtMs = nowMs;
  }

  /**
   * A pause that the server's own delay explains is none of the stream: every stall of the event loop would have all streams
   * read as they arrive for 10 s, which keeps it busier. A delay is known from the tick before the messages that waited for
   * it, or from the one after them.
   */
  #judgePause(delayMs: number, nowMs: number): void {
    if (this.#pauseMs - Math.max(delayMs, this.#delayBeforeMs) >= PAUSE_MS) this.#pausedAtMs = nowMs;
    this.#pauseMs = 0;
    this.#delayBeforeMs = delayMs;
  }

  /**
   * Time of the stream that waits to be read, if it did so at the last measurement too: a burst after an outage is read
   * within seconds. The kernel keeps some hundred kilobytes at most, the rest waits in the sender; so while the queue is not
   * empty, all of the lag is the server's.
   */
  #queuedMs(bytes: number): number {
    const queuedMs = (bytes * 8) / this.codedKbps(RATE_SECONDS);
    const heldMs = Math.min(queuedMs, this.#lastQueuedMs);
    const heldBytes = Math.min(bytes, this.#lastQueuedBytes);
    const isBurst = !(this.mediaRatio(RATE_SECONDS) <= MAX_RATIO);
    this.#lastQueuedMs = isBurst ? 0 : queuedMs;
    this.#lastQueuedBytes = isBurst ? 0 : bytes;
    return heldMs > this.#lateBoundMs || heldBytes > WAITING_BYTES ? Math.max(heldMs, this.lagMs) : heldMs;
  }

  /** Sum of the last `seconds`. */
  mediaRatio(seconds: number): number {
    return this.#total(this.#media, seconds) / this.#total(this.#wall, seconds);
  }

  /** Rate at which all tracks arrived. */
  arrivedKbps(seconds: number, back = 0): number {
    return (this.#total(this.#bytes, seconds, back) * 8) / this.#total(this.#wall, seconds, back);
  }

  /** Rate that the encoder made: bytes for each second of media. */
  codedKbps(seconds: number, back = 0): number {
    return (this.#total(this.#bytes, seconds, back) * 8) / this.#total(this.#media, seconds, back);
  }

  /** Mean QP; NaN where a second has none. */
  meanQp(seconds: number, back = 0): number {
    return this.#sum(this.#qp, seconds, back) / seconds;
  }

  /** Rate of the last `seconds`, up to 10, between pauses of 200 ms or more: what the link carries while it carries anything. */
  flowingKbps(seconds: number): number {
    const bytes = this.#total(this.#bytes, seconds) - this.loss.pausedBytes(seconds);
    return (bytes * 8) / Math.max(1, this.#total(this.#wall, seconds) - this.loss.pausedMs(seconds));
  }

  audioGaps(seconds: number): number {
    return this.#sum(this.#audioGaps, seconds);
  }

  /** Lag of the last complete second above the smallest of the last minute. */
  get lagMs(): number {
    return this.lagAgo(0);
  }

  lagAgo(back: number): number {
    return this.#lag.at(this.seconds - 1 - back) - this.#smallestLagMs;
  }

  /** The largest lag of the last `seconds`, above the smallest of the last minute. */
  largestLagMs(seconds: number): number {
    let largest = Number.NEGATIVE_INFINITY;
    for (let back = 0; back < Math.min(seconds, this.seconds); back++) {
      largest = Math.max(largest, this.#lag.at(this.seconds - 1 - back));
    }
    return largest - this.#smallestLagMs;
  }

  /** Known for 10 s, and in them without gaps, pauses of 200 ms of its own, or a lag to speak of. */
  get isEven(): boolean {
    const sinceMs = this.nowMs - Math.max(this.gap.endedAtMs, this.#pausedAtMs);
    if (this.seconds < EVEN_SECONDS || sinceMs < EVEN_SECONDS * SECOND_MS) return false;
    return this.largestLagMs(EVEN_SECONDS) < EVEN_LAG_MS;
  }

  /** In how many of the last `seconds` the lag grew. */
  lagGrew(seconds: number): number {
    let times = 0;
    for (let back = 0; back < Math.min(seconds, this.seconds - 1); back++) {
      if (this.#lag.at(this.seconds - 1 - back) > this.#lag.at(this.seconds - 2 - back)) times++;
    }
    return times;
  }

  /**
   * Time that large messages took, as a share of all time, over their share of the bytes: near 1 where the link is full, near 0
   * where frames come at the encoder's pace. NaN without large messages.
   */
  sizePaced(seconds: number): number {
    const bytesShare = this.#sum(this.#largeBytes, seconds) / this.#total(this.#bytes, seconds);
    if (!(bytesShare > 0.05)) return Number.NaN;
    return this.#sum(this.#largeMs, seconds) / this.#total(this.#wall, seconds) / bytesShare;
  }

  #begin(nowMs: number, mediaMs: number): void {
    this.#begun = true;
    this.#noSeconds();
    this.#originMs = nowMs - mediaMs;
    this.#secondAtMs = nowMs;
    this.#secondMediaMs = mediaMs;
    this.#largeFrom = Number.POSITIVE_INFINITY;
    this.#clearSecond();
  }

  #roll(nowMs: number, mediaMs: number): void {
    const n = this.seconds;
    this.#lag.set(n, this.#secondLagMs);
    this.#wall.set(n, nowMs - this.#secondAtMs);
    this.#media.set(n, Math.max(0, mediaMs - this.#secondMediaMs));
    this.#bytes.set(n, this.#secondBytes);
    this.#largeBytes.set(n, this.#secondLargeBytes);
    this.#largeMs.set(n, this.#secondLargeMs);
    this.#qp.set(n, this.#secondQp / this.#secondQpFrames);
    this.#audioGaps.set(n, this.#secondAudioGaps);
    this.loss.second();
    this.seconds = n + 1;
    this.#smallestLagMs = this.#smallestLag();
    if (this.#messages > 0) this.#largeFrom = (LARGE * this.#secondBytes) / this.#messages;
    this.#secondAtMs = nowMs;
    this.#secondMediaMs = mediaMs;
    this.#clearSecond();
  }

  #noSeconds(): void {
    this.seconds = 0;
    this.#smallestLagMs = Number.POSITIVE_INFINITY;
  }

  #clearSecond(): void {
    this.#messages = 0;
    this.#secondLagMs = Number.POSITIVE_INFINITY;
    this.#secondBytes = 0;
    this.#secondLargeBytes = 0;
    this.#secondLargeMs = 0;
    this.#secondQp = 0;
    this.#secondQpFrames = 0;
    this.#secondAudioGaps = 0;
  }

  #endGap(bytes: number, gapMs: number, atMs: number): void {
    if (this.seconds < CATCH_UP_MS / SECOND_MS) return;
    if ((bytes * 8) / gapMs > FLOWED * this.codedKbps(CATCH_UP_MS / SECOND_MS, Math.ceil(gapMs / SECOND_MS))) return;
    this.gap.end(gapMs, this.#lag.at(Math.max(0, this.seconds - 1 - Math.ceil(gapMs / SECOND_MS))), atMs);
  }

  #smallestLag(): number {
    let smallest = Number.POSITIVE_INFINITY;
    for (let back = 0; back < Math.min(KEPT, this.seconds); back++) {
      smallest = Math.min(smallest, this.#lag.at(this.seconds - 1 - back));
    }
    return smallest;
  }

  /** Total of the last `seconds`; NaN before there are as many. */
  #total(values: Totals, seconds: number, back = 0): number {
    const to = this.seconds - back;
    return to < seconds || seconds + back > KEPT ? Number.NaN : values.between(to - seconds, to);
  }

  /** Sum of the last `seconds`; NaN before there are as many. */
  #sum(values: Seconds, seconds: number, back = 0): number {
    if (this.seconds < seconds + back || seconds + back > KEPT) return Number.NaN;
    let sum = 0;
    for (let i = 0; i < seconds; i++) sum += values.at(this.seconds - 1 - back - i);
    return sum;
  }
}
