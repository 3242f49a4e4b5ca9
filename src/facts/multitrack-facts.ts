/**
 * The tracks of a stream in the multitrack form of Enhanced RTMP: which were agreed, and whether the key frames of the video
 * tracks have the same times, without which a player cannot switch between them.
 */

/** Key frames that are remembered of each track. */
const KEPT = 4;

/** Times of the last key frames of a track, as sent. */
class KeyTimes {
  readonly #times = new Float64Array(KEPT).fill(Number.NaN);
  #count = 0;
  firstMs = Number.NaN;

  /** Adds a key frame; returns the time of the one before it, NaN without one. */
  add(timeMs: number): number {
    const before = this.#count === 0 ? Number.NaN : (this.#times[(this.#count - 1) % KEPT] as number);
    if (this.#count === 0) this.firstMs = timeMs;
    this.#times[this.#count++ % KEPT] = timeMs;
    return before;
  }

  /** Distance of the nearest key frame. Times are 32-bit values that wrap. */
  distanceMs(timeMs: number): number {
    let nearest = Number.POSITIVE_INFINITY;
    for (const each of this.#times) {
      if (!Number.isNaN(each)) nearest = Math.min(nearest, Math.abs((Math.round(timeMs) - Math.round(each)) | 0));
    }
    return nearest;
  }

  /** Whether this track had begun by then. */
  hadBegun(timeMs: number): boolean {
    return ((Math.round(timeMs) - Math.round(this.firstMs)) | 0) >= 0;
  }
}

export type MultitrackFault = 'none' | 'form' | 'track' | 'key-frames';

export class MultitrackFacts {
  /** Tracks of each kind that the server gave the encoder settings for. */
  agreedVideo = 1;
  agreedAudio = 1;
  /** The server gave the encoder its settings. */
  isSetUp = false;
  /** The last fault of this connection. */
  fault: MultitrackFault = 'none';
  kind: 'video' | 'audio' = 'video';
  trackId = 0;
  /** Distance of the last pair of key frames that do not fall together. */
  apartMs = 0;
  readonly #mostApartMs: number;
  #first = new KeyTimes();
  #others: Map<number, KeyTimes> | undefined;

  constructor(mostApartMs: number) {
    this.#mostApartMs = mostApartMs;
  }

  /** New connection, set up with this many tracks; undefined: not set up by the server. */
  connect(agreed: { readonly video: number; readonly audio: number } | undefined): void {
    this.isSetUp = agreed !== undefined;
    this.agreedVideo = agreed?.video ?? 1;
    this.agreedAudio = agreed?.audio ?? 1;
    this.fault = 'none';
    this.#first = new KeyTimes();
    this.#others = undefined;
  }

  /** A packet in the multitrack form, or of another track than the first. True: nothing of it was agreed. */
  packet(kind: 'video' | 'audio', trackId: number): boolean {
    const agreed = kind === 'video' ? this.agreedVideo : this.agreedAudio;
    const isForm = trackId === 0 && agreed === 1;
    if (!isForm && trackId < agreed) return false;
    // A named track says more than the form.
    if (isForm && this.fault === 'track') return true;
    this.kind = kind;
    this.trackId = trackId;
    this.fault = isForm ? 'form' : 'track';
    return true;
  }

  /**
   * A key frame with its presentation time. Judges the key frame before it, since the other tracks may lag by less than an
   * interval. True: it has no counterpart.
   */
  keyFrame(trackId: number, timeMs: number): boolean {
    if (trackId !== 0) return this.#otherKeyFrame(trackId, timeMs);
    const before = this.#first.add(timeMs);
    if (this.#others === undefined || Number.isNaN(before)) return false;
    let isApart = false;
    for (const [id, times] of this.#others) {
      if (times.hadBegun(before) && this.#isApart(id, times.distanceMs(before))) isApart = true;
    }
    return isApart;
  }

  #otherKeyFrame(trackId: number, timeMs: number): boolean {
    this.#others ??= new Map();
    let times = this.#others.get(trackId);
    if (times === undefined) {
      times = new KeyTimes();
      this.#others.set(trackId, times);
    }
    const before = times.add(timeMs);
    if (Number.isNaN(before) || !this.#first.hadBegun(before)) return false;
    return this.#isApart(trackId, this.#first.distanceMs(before));
  }

  #isApart(trackId: number, distanceMs: number): boolean {
    if (distanceMs <= this.#mostApartMs) return false;
    // A track that was not agreed is the first thing to change.
    if (this.fault !== 'track') this.fault = 'key-frames';
    this.kind = 'video';
    this.trackId = trackId;
    this.apartMs = distanceMs;
    return true;
  }
}
