/** Key frames: how long ago the last one was, and how far apart the last two were. */
import { copyPacket, newPacketFacts, type PacketFacts } from './packet-facts.js';
import { EventWindow } from './rolling.js';

export class Gop {
  /** A key frame has come in this connection. */
  hasKeyFrame = false;
  /** The last key frame ended an interval, which is `ageMs`. */
  endedInterval = false;
  /** From the last key frame (the first frame, before one) to the frame looked at, itself a key frame or not. Jumps left out. */
  ageMs = 0;
  /** The last complete interval; 0 before there is one. */
  intervalMs = 0;
  /** The last key frame is an IDR. */
  lastIsIdr = true;
  /** Key frames a second over the window; NaN while that is not full. */
  perSecond = Number.NaN;
  /** The last key frame (the first frame, before one), from which the next interval counts. */
  readonly reference: PacketFacts = newPacketFacts();
  /** The key frame (or first frame) before that. */
  readonly previous: PacketFacts = newPacketFacts();
  readonly #keyFrames: EventWindow;
  readonly #buckets: number;
  #referenceMs = Number.NaN;

  constructor(windowBuckets: number) {
    this.#buckets = windowBuckets;
    this.#keyFrames = new EventWindow(windowBuckets);
  }

  /** A frame has come, so `ageMs` says something. */
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

  /** Stream time took a jump of so much, which is no part of an interval. */
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

  #refer(timeMs: number, packet: PacketFacts): void {
    this.#referenceMs = timeMs;
    copyPacket(packet, this.reference);
  }
}
