/** The consumers of one publication's packets: recorder, probe, relay. Without any, costs two byte reads per packet. */
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { SliceList } from '../bytes/slices.js';
import { MAX_TRACKS } from '../media/flv/enhanced-parser.js';
import { LatestHeaders, type MessageKind } from '../media/flv/latest-headers.js';
import { mayHaveTracks, TrackMessages } from '../media/flv/track-messages.js';
import type { MediaTap, TapSource } from '../ports/index.js';

export class Taps {
  readonly #headers = new LatestHeaders();
  /** Sequence headers of the video tracks beside the first, by track ID. */
  #trackHeaders: Map<number, LatestHeaders> | undefined;
  #tracks: TrackMessages | undefined;
  #kind: MessageKind = 'video';
  #timestampMs = 0;
  /** Bound once, so that a packet needs no closure. */
  readonly #onTrack = (track: number, message: SliceList) => this.#track(track, this.#kind, this.#timestampMs, message);
  readonly #buffers: PayloadBuffers;
  #taps: MediaTap[] = [];

  constructor(buffers: PayloadBuffers) {
    this.#buffers = buffers;
  }

  /** At least one tap wants complete packets. */
  get keepPayload(): boolean {
    for (const tap of this.#taps) {
      if (tap.isIdle !== true) return true;
    }
    return false;
  }

  packet(kind: MessageKind, timestampMs: number, payload: SliceList): void {
    if (kind === 'data' || !mayHaveTracks(kind, payload)) {
      this.#track(0, kind, timestampMs, payload);
      return;
    }
    this.#tracks ??= new TrackMessages();
    this.#kind = kind;
    this.#timestampMs = timestampMs;
    this.#tracks.each(kind, payload, this.#onTrack);
  }

  #track(track: number, kind: MessageKind, timestampMs: number, payload: SliceList): void {
    if (track !== 0 && kind === 'audio') return;
    const isHeader = this.#headersOf(track).observe(kind, timestampMs, payload);
    for (const tap of this.#taps) {
      if (kind === 'video' && (tap.track ?? 0) !== track) continue;
      // A packet that was partly received when the first tap became active has holes.
      if (!isHeader && (tap.isIdle === true || payload.hasHoles)) continue;
      if (tap.copies !== true) this.#giveAway(payload);
      tap.packet(kind, timestampMs, payload);
    }
  }

  #headersOf(track: number): LatestHeaders {
    if (track === 0) return this.#headers;
    this.#trackHeaders ??= new Map();
    const known = this.#trackHeaders.get(track);
    if (known !== undefined) return known;
    const headers = new LatestHeaders();
    if (this.#trackHeaders.size < MAX_TRACKS) this.#trackHeaders.set(track, headers);
    return headers;
  }

  #giveAway(payload: SliceList): void {
    for (let i = 0; i < payload.count; i++) this.#buffers.giveAway(payload.buffers[i] as Uint8Array);
  }

  /** Attaches the taps that the sources open for this broadcast. */
  open(sources: readonly TapSource[], liveVideoId: string, when: 'publish' | 'live', hasStorage: boolean): void {
    for (const source of sources) {
      const tap = source.open(liveVideoId, when, hasStorage);
      if (tap !== undefined) this.attach(tap);
    }
  }

  /** Adds a tap and replays the latest metadata and sequence headers to it. */
  attach(tap: MediaTap): void {
    const track = tap.track ?? 0;
    this.#headers.replay((kind, timestampMs, payload) => {
      if (kind !== 'video' || track === 0) tap.packet(kind, timestampMs, payload);
    });
    if (track !== 0) this.#trackHeaders?.get(track)?.replay((kind, atMs, payload) => tap.packet(kind, atMs, payload));
    this.#taps.push(tap);
  }

  /** Replaces the list, because a tap may detach during `packet`. */
  detach(tap: MediaTap): void {
    this.#taps = this.#taps.filter((other) => other !== tap);
  }

  close(): void {
    for (const tap of this.#taps) tap.close();
    this.#taps = [];
  }
}
