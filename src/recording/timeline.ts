/**
 * Makes the timestamps of a recording continuous: segments follow each other, resets of the encoder's clock are removed,
 * and pauses of the whole stream are closed. RTMP timestamps are 32 bits and wrap (RTMP 1.0 §3); the output does not wrap.
 * Pure: numbers in, numbers out.
 */

export type Track = 'audio' | 'video';

/** A larger step is a clock reset, not elapsed time (same limit as for the eight-hour rule). */
const STEP_MS_MAX = 5_000;
/** A clock reset advances the output by one frame. */
const FRAME_MS = 33;

interface TrackClock {
  /** Unwrapped time of the last input packet; undefined before the first of a segment. */
  lastIn: number | undefined;
  lastOut: number;
  /** out = in + offset. */
  offset: number;
}

export class Timeline {
  readonly #tracks: Record<Track, TrackClock> = {
    audio: { lastIn: undefined, lastOut: -1, offset: 0 },
    video: { lastIn: undefined, lastOut: -1, offset: 0 },
  };
  /** The next packet is the first of its segment. */
  #fresh = true;
  #segmentStart = 0;

  /** Highest output time so far; -1 before the first packet. */
  get endMs(): number {
    return Math.max(this.#tracks.audio.lastOut, this.#tracks.video.lastOut);
  }

  /** Another connection begins, with an unrelated clock. */
  nextSegment(): void {
    this.#fresh = true;
    this.#tracks.audio.lastIn = undefined;
    this.#tracks.video.lastIn = undefined;
  }

  /** Output time of a coded packet; never decreases within a track. */
  place(track: Track, timestampMs: number): number {
    const clock = this.#tracks[track];
    const other = this.#tracks[track === 'audio' ? 'video' : 'audio'];
    if (this.#fresh) this.#begin(timestampMs);
    const before = clock.lastIn ?? other.lastIn ?? timestampMs;
    const now = before + ((timestampMs - before) | 0);
    const out = this.#outOf(clock, other, now);
    clock.lastIn = now;
    clock.lastOut = Math.max(out, clock.lastOut, this.#segmentStart);
    return clock.lastOut;
  }

  #begin(timestampMs: number): void {
    this.#fresh = false;
    this.#segmentStart = this.endMs < 0 ? 0 : this.endMs + FRAME_MS;
    const offset = this.#segmentStart - timestampMs;
    this.#tracks.audio.offset = offset;
    this.#tracks.video.offset = offset;
  }

  #outOf(clock: TrackClock, other: TrackClock, now: number): number {
    const reference = Math.max(this.endMs, this.#segmentStart);
    const out = now + clock.offset;
    if (Math.abs(out - reference) <= STEP_MS_MAX) return out;
    // The track itself is continuous: the offset between the tracks is a fault of the stream and is preserved.
    if (clock.lastIn !== undefined && Math.abs(now - clock.lastIn) <= STEP_MS_MAX) return out;
    const asOther = now + other.offset;
    clock.offset = Math.abs(asOther - reference) <= STEP_MS_MAX ? other.offset : reference + FRAME_MS - now;
    return now + clock.offset;
  }
}
