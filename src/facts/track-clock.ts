/**
 * Decode time of one track in one connection. 32-bit stamps are unwrapped by serial arithmetic (RFC 1982), so 2^24, 2^31
 * and 2^32 are numbers like any other. Two times are kept: `dtsMs`, which follows every jump and can be compared with the
 * other track's, and `timeMs`, which leaves jumps out and goes on over connections.
 */
import type { Measures } from './measures.js';

export const IN_ORDER = 0;
/** Went back by less than a beat: frames in the wrong order. */
export const WENT_BACK = 1;
/** Moved by more than the cap forward, or by more than a beat back: another clock. */
export const JUMPED = 2;
/** Moved like the other track just did: one jump of the encoder's clock, told once. */
export const JUMPED_ALONG = 3;
/** Back after a silence through which the other track went on: time has passed, but nothing is known of it here. */
export const RETURNED = 4;

export type Order = typeof IN_ORDER | typeof WENT_BACK | typeof JUMPED | typeof JUMPED_ALONG | typeof RETURNED;

export class TrackClock {
  /** A frame has come in this connection. */
  started = false;
  frames = 0;
  /** The last stamp as sent. */
  rawMs = 0;
  /** Unwrapped, since the first frame of the connection; comparable between the tracks. */
  dtsMs = 0;
  /** Stream time: continuous over jumps and connections. */
  timeMs = 0;
  /** The largest `timeMs` so far. */
  highMs = 0;
  /** The last step as sent, and the part of it that `timeMs` took. */
  stepMs = 0;
  takenMs = 0;
  /** What the other track advanced since this one's last frame. */
  silentMs = 0;
  /** Since when this track flows without a gap. */
  flowSinceMs = 0;
  #jumpedAtMs = Number.NEGATIVE_INFINITY;
  #jumpedFar = false;
  readonly #capMs: number;
  readonly #gapMs: number;
  readonly #beatMs: number;

  constructor(measures: Measures) {
    this.#capMs = measures.advanceCapMs;
    this.#gapMs = measures.flowGapMs;
    this.#beatMs = measures.beatMs;
  }

  /** A new connection: stamps start anywhere, and neither track has been heard. */
  reset(): void {
    this.started = false;
    this.frames = 0;
    this.dtsMs = 0;
    this.silentMs = 0;
    this.stepMs = 0;
    this.takenMs = 0;
    this.#jumpedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** How long it has flowed without a gap. */
  get flowsForMs(): number {
    return this.started ? this.timeMs - this.flowSinceMs : 0;
  }

  /** Nothing for longer than a track in flow is ever silent. */
  get isSilent(): boolean {
    return this.silentMs > this.#gapMs;
  }

  /** It jumped far and the other track may be about to follow: the distance between them means nothing yet. */
  get hasJustJumped(): boolean {
    return this.#jumpedFar && this.#mayBeFollowed;
  }

  get #mayBeFollowed(): boolean {
    return this.timeMs - this.#jumpedAtMs <= this.#capMs;
  }

  /** Stream time of a stamp that is no frame's (a header's): by the last frame, or `otherwise` where that says nothing. */
  near(rawMs: number, otherwise: number): number {
    const stepMs = (rawMs - this.rawMs) | 0;
    return this.started && Math.abs(stepMs) <= this.#capMs ? this.timeMs + stepMs : otherwise;
  }

  /** Takes the stamp of a frame. `startMs`: stream time at which the connection began. */
  advance(rawMs: number, other: TrackClock, startMs: number): Order {
    if (!this.started) {
      this.#start(rawMs, other, startMs);
      return IN_ORDER;
    }
    this.frames++;
    const stepMs = (rawMs - this.rawMs) | 0;
    this.rawMs = rawMs;
    this.stepMs = stepMs;
    this.dtsMs += stepMs;
    // What the other track went through meanwhile is no jump, however long it was.
    const hasReturned = stepMs > this.#capMs && this.isSilent && stepMs - this.silentMs <= this.#gapMs;
    if ((stepMs > this.#capMs && !hasReturned) || stepMs < -this.#beatMs) return this.#jump(stepMs, other);
    this.takenMs = stepMs;
    this.timeMs += stepMs;
    if (this.silentMs > this.#gapMs || stepMs > this.#gapMs) this.flowSinceMs = this.timeMs;
    this.silentMs = 0;
    if (this.timeMs > this.highMs) {
      // A leap is no flow that the other track could have missed.
      other.silentMs += Math.min(this.timeMs - this.highMs, this.#gapMs);
      this.highMs = this.timeMs;
    }
    if (hasReturned) return RETURNED;
    return stepMs < 0 ? WENT_BACK : IN_ORDER;
  }

  #start(rawMs: number, other: TrackClock, startMs: number): void {
    this.started = true;
    this.frames = 1;
    const leadMs = other.started ? (rawMs - other.rawMs) | 0 : 0;
    this.rawMs = rawMs;
    this.dtsMs = other.started ? other.dtsMs + leadMs : 0;
    const nearMs = Math.max(-this.#capMs, Math.min(this.#capMs, leadMs));
    this.timeMs = other.started ? other.timeMs + nearMs : startMs;
    this.highMs = this.timeMs;
    this.flowSinceMs = this.timeMs;
    this.silentMs = 0;
    this.stepMs = 0;
    this.takenMs = 0;
  }

  #jump(stepMs: number, other: TrackClock): Order {
    // Within the cap stream time follows a step back, so that frames sent twice are not counted twice.
    this.takenMs = stepMs > 0 ? this.#capMs : stepMs < -this.#capMs ? 0 : stepMs;
    this.timeMs += this.takenMs;
    this.highMs = Math.max(this.highMs, this.timeMs);
    this.flowSinceMs = this.timeMs;
    this.silentMs = 0;
    const along = other.#mayBeFollowed && Math.abs((this.rawMs - other.rawMs) | 0) <= this.#capMs;
    if (along) {
      other.#jumpedAtMs = Number.NEGATIVE_INFINITY;
      this.#jumpedAtMs = Number.NEGATIVE_INFINITY;
      return JUMPED_ALONG;
    }
    this.#jumpedAtMs = this.timeMs;
    this.#jumpedFar = Math.abs(stepMs) > this.#capMs;
    return JUMPED;
  }
}
