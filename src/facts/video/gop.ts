/** Key frame intervals: the age of the last key frame, and the last complete interval. */
import { copyPacket, newPacketFacts, type PacketFacts } from '../measures/packet-facts.js';
import { EventWindow } from '../measures/rolling.js';

export class Gop {
  /** A key frame has come in this connection. */
  hasKeyFrame = false;
  /** The last key frame completed an interval, which is `ageMs`. */
  endedInterval = false;
  /** From the last key frame (before one: the first frame) to the current frame, key frame or not. Excludes jumps. */
  ageMs = 0;
  /** The last complete interval; 0 until there is one. */
  intervalMs = 0;
  /** The last key frame is an IDR. */
  lastIsIdr = true;
  /** Key frames per second over the window; NaN until the window is full. */
  perSecond = Number.NaN;
  /** Start of the current interval: the last key frame, or the first frame before there is one. */
  readonly reference: PacketFacts = newPacketFacts();
  /** Start of the previous interval. */
  readonly previous: PacketFacts = newPacketFacts();
  readonly #keyFrames: EventWindow;
  readonly #buckets: number;
  #referenceMs = Number.NaN;

  constructor(windowBuckets: number) {
    this.#buckets = windowBuckets;
    this.#keyFrames = new EventWindow(windowBuckets);
  }

  /** A frame has arrived, so `ageMs` is meaningful. */
  get hasFrames(): boolean {
    return !Number.isNaN(this.#referenceMs);
  }

  reset(): void {
    this.hasKeyFrame = false;
    this.endedInterval = false;
    this.ageMs = 0;
    this.intervalMs = 0;
    this.#referenceMs = Number.NaN;
    this.restartWindow();
  }

  restartWindow(): void {
    this.#keyFrames.restart();
    this.perSecond = Number.NaN;
  }

  roll(): void {
    this.#keyFrames.roll();
  }

  /** Excludes a jump of stream time by `takenMs` from the interval. */
  skip(takenMs: number): void {
    this.#referenceMs += takenMs;
  }

  frame(timeMs: number, key: boolean, idr: boolean, packet: PacketFacts): void {
    if (Number.isNaN(this.#referenceMs)) this.#refer(timeMs, packet);
    this.ageMs = timeMs - this.#referenceMs;
    if (!key) return;
    this.endedInterval = this.hasKeyFrame;
    if (this.hasKeyFrame) this.intervalMs = this.ageMs;
    this.hasKeyFrame = true;
    this.lastIsIdr = idr;
    if (this.#keyFrames.isFull(this.#buckets)) {
      this.perSecond = this.#keyFrames.ratePerSecond(this.#buckets, timeMs);
    }
    this.#keyFrames.add(timeMs);
    copyPacket(this.reference, this.previous);
    this.#refer(timeMs, packet);
  }

  /** Measures over all frames since the restart, where the window never filled. */
  measureWhole(spanMs: number): void {
    const intervals = this.#keyFrames.countOfAll - 1;
    if (Number.isNaN(this.perSecond) && intervals > 0) this.perSecond = (intervals * 1000) / spanMs;
  }

  #refer(timeMs: number, packet: PacketFacts): void {
    this.#referenceMs = timeMs;
    copyPacket(packet, this.reference);
  }
}
