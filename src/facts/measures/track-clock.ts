/**
 * Decode time of one track in one connection. 32-bit timestamps are unwrapped by serial number arithmetic (RFC 1982), so
 * 2^24, 2^31 and 2^32 are not special. Two times are kept: `dtsMs` follows every jump and is comparable with the other
 * track's; `timeMs` excludes jumps and continues over connections.
 */
import type { Measures } from './measures.js';

export const IN_ORDER = 0;
/** Went backward by at most a beat: frames in the wrong order. */
export const WENT_BACK = 1;
/** Moved forward by more than the cap, or backward by more than a beat: the encoder's clock changed. */
export const JUMPED = 2;
/** Followed a jump of the other track: one jump of the encoder's clock, reported once. */
export const JUMPED_ALONG = 3;
/** Resumed after a silence during which the other track continued: the time has passed, but this track has no frames for it. */
export const RETURNED = 4;

export type Order = typeof IN_ORDER | typeof WENT_BACK | typeof JUMPED | typeof JUMPED_ALONG | typeof RETURNED;

export class TrackClock {
  /** A frame has arrived in this connection. */
  started = false;
  frames = 0;
  /** The last timestamp as sent. */
  rawMs = 0;
  /** Unwrapped decode time since the first frame of the connection; comparable between tracks. */
  dtsMs = 0;
  /** Stream time, continuous over jumps and connections. */
  timeMs = 0;
  /** The largest `timeMs` so far. */
  highMs = 0;
  /** The last step as sent, and the part of it added to `timeMs`. */
  stepMs = 0;
  takenMs = 0;
  /** Advance of the other track since this one's last frame. */
  silentMs = 0;
  /** Start of the current run without a gap. */
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

  /** New connection: timestamps may start at any value. */
  reset(): void {
    this.started = false;
    this.frames = 0;
    this.dtsMs = 0;
    this.silentMs = 0;
    this.stepMs = 0;
    this.takenMs = 0;
    this.#jumpedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Duration of the current run without a gap. */
  get flowsForMs(): number {
    return this.started ? this.timeMs - this.flowSinceMs : 0;
  }

  /** Without frames for longer than a flowing track can be. */
  get isSilent(): boolean {
    return this.silentMs > this.#gapMs;
  }

  /** Jumped beyond the cap, and the other track may still follow: the offset between the tracks is not meaningful yet. */
  get hasJustJumped(): boolean {
    return this.#jumpedFar && this.#mayBeFollowed;
  }

  get #mayBeFollowed(): boolean {
    return this.timeMs - this.#jumpedAtMs <= this.#capMs;
  }

  /** Stream time of a header's timestamp relative to the last frame; `otherwise` if that is too far or there is none. */
  near(rawMs: number, otherwise: number): number {
    const stepMs = (rawMs - this.rawMs) | 0;
    return this.started && Math.abs(stepMs) <= this.#capMs ? this.timeMs + stepMs : otherwise;
  }

  /** Advances to the timestamp of a frame. `startMs`: stream time at which the connection began. */
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
    // A step that the other track accounts for is not a jump, whatever its length.
    const hasReturned = stepMs > this.#capMs && this.isSilent && stepMs - this.silentMs <= this.#gapMs;
    if ((stepMs > this.#capMs && !hasReturned) || stepMs < -this.#beatMs) return this.#jump(stepMs, other);
    this.takenMs = stepMs;
    this.timeMs += stepMs;
    if (this.silentMs > this.#gapMs || stepMs > this.#gapMs) this.flowSinceMs = this.timeMs;
    this.silentMs = 0;
    if (this.timeMs > this.highMs) {
      // Capped: a single large step is not continuous media that the other track lacks.
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
    // Within the cap, stream time follows a backward step, so that frames sent twice are not counted twice.
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
