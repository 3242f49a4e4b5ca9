/**
 * Timestamps of a recording made continuous: segments follow each other, clocks that the encoder set anew go on where they
 * were, pauses of the whole stream are closed. RTMP time is 32 bits that wrap (RTMP 1.0 §3); what comes out does not.
 * Pure: numbers in, numbers out.
 */

export type Track = 'audio' | 'video';

/** A step further than this is no time that passed (the same bound as for the eight hours). */
const STEP_MS_MAX = 5_000;
/** Where a clock is set anew, one frame passes. */
const FRAME_MS = 33;

interface TrackClock {
  /** Unwrapped time of the last packet in, undefined before the first of a segment. */
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
  /** The next packet is the first one of its segment. */
  #fresh = true;
  #segmentStart = 0;

  /** Highest time given out so far; -1 before the first. */
  get endMs(): number {
    return Math.max(this.#tracks.audio.lastOut, this.#tracks.video.lastOut);
  }

  /** Another connection begins: its clock has nothing to do with the last one's. */
  nextSegment(): void {
    this.#fresh = true;
    this.#tracks.audio.lastIn = undefined;
    this.#tracks.video.lastIn = undefined;
  }

  /** Time in the recording of a coded packet, never before an earlier one of its track. */
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
    // Its own step is small: the tracks are apart, which is the stream's own fault and stays visible.
    if (clock.lastIn !== undefined && Math.abs(now - clock.lastIn) <= STEP_MS_MAX) return out;
    const asOther = now + other.offset;
    clock.offset = Math.abs(asOther - reference) <= STEP_MS_MAX ? other.offset : reference + FRAME_MS - now;
    return now + clock.offset;
  }
}
