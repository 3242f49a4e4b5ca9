/**
 * The consumers of one publication's packets: recorder, probe, relay. Whether a tap wants packets is asked with each tick of
 * the clock and not with each packet: the taps of many broadcasts fit in no cache, and asking them took 3 % of the packet path.
 */
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { SliceList } from '../bytes/slices.js';
import { MAX_TRACKS } from '../media/flv/enhanced-parser.js';
import { isPlainFrame, LatestHeaders, type MessageKind } from '../media/flv/latest-headers.js';
import { mayHaveTracks, TrackMessages } from '../media/flv/track-messages.js';
import type { MediaTap, TappedStream, TapSource } from '../ports/index.js';

/** A tap with its constants: taps are of many classes, and reading a property of any of them costs a lookup by name. */
interface Attached {
  readonly tap: MediaTap;
  readonly copies: boolean;
  readonly track: number;
  readonly allTracks: boolean;
  /** State at the last question. */
  isIdle: boolean;
}

export class Taps {
  readonly #headers = new LatestHeaders();
  /** Sequence headers of the tracks beside the first, by track ID. */
  #trackHeaders: Map<number, LatestHeaders> | undefined;
  #tracks: TrackMessages | undefined;
  #kind: MessageKind = 'video';
  #timestampMs = 0;
  /** Bound once, so that a packet needs no closure. */
  readonly #onTrack = (track: number, message: SliceList) => this.#track(track, this.#kind, this.#timestampMs, message);
  readonly #buffers: PayloadBuffers;
  #taps: readonly Attached[] = [];

  constructor(buffers: PayloadBuffers) {
    this.#buffers = buffers;
  }

  /** At least one tap wants packets, as of the last question. */
  keepPayload = false;

  /** Asks each tap whether it wants packets from now on. Call it at every tick of the clock. */
  ask(): void {
    let isWanted = false;
    for (const attached of this.#taps) {
      attached.isIdle = attached.tap.isIdle === true;
      isWanted ||= !attached.isIdle;
    }
    this.keepPayload = isWanted;
  }

  packet(kind: MessageKind, timestampMs: number, payload: SliceList): void {
    if (kind !== 'data' && isPlainFrame(kind, payload)) {
      if (this.keepPayload) this.#give(0, kind, timestampMs, payload, false);
      return;
    }
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
    this.#give(track, kind, timestampMs, payload, this.#headersOf(track).observe(kind, timestampMs, payload));
  }

  #give(track: number, kind: MessageKind, timestampMs: number, payload: SliceList, isHeader: boolean): void {
    for (const attached of this.#taps) {
      // A packet that was partly received when the first tap became active has holes.
      if (!isHeader && (attached.isIdle || payload.hasHoles)) continue;
      if (!attached.allTracks && track !== (kind === 'video' ? attached.track : 0)) continue;
      if (!attached.copies) this.#giveAway(payload);
      attached.tap.packet(kind, timestampMs, payload, track);
    }
    // The key frame that follows at once is the first packet that a tap wants.
    if (isHeader) this.ask();
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
    for (let i = 0; i < payload.count; i++) this.#buffers.giveAway(payload.bufferAt(i));
  }

  /** Attaches the taps that the sources open for this broadcast. `fromMs`: as of `attach`. */
  open(sources: readonly TapSource[], stream: TappedStream, when: 'publish' | 'live', fromMs?: number): void {
    for (const source of sources) {
      const tap = source.open(stream, when);
      if (tap !== undefined) this.attach(tap, fromMs);
    }
    // Those that are attached may want packets from here on.
    this.ask();
  }

  /** Tells the taps which errors are open. */
  judged(openErrors: readonly number[]): void {
    for (const { tap } of this.#taps) tap.judged?.(openErrors);
  }

  /** Adds a tap and replays the latest metadata and sequence headers to it. `fromMs`: with this timestamp, not with their own. */
  attach(tap: MediaTap, fromMs?: number): void {
    const track = tap.track ?? 0;
    this.#headers.replay((kind, timestampMs, payload) => {
      if (kind !== 'video' || track === 0) tap.packet(kind, fromMs ?? timestampMs, payload, 0);
    });
    const allTracks = tap.allTracks === true;
    for (const [of, headers] of this.#trackHeaders ?? [])
      headers.replay((kind, atMs, payload) => {
        if (allTracks || (of === track && kind === 'video')) tap.packet(kind, fromMs ?? atMs, payload, of);
      });
    this.#taps = [...this.#taps, { tap, copies: tap.copies === true, track, allTracks, isIdle: true }];
    this.ask();
  }

  /** Replaces the list, because a tap may detach during `packet`. */
  detach(tap: MediaTap): void {
    this.#taps = this.#taps.filter((other) => other.tap !== tap);
    this.ask();
  }

  /** Gives up all taps but `own`, for the stream that is on air next. */
  release(own: MediaTap | undefined): readonly MediaTap[] {
    const others = this.#taps.flatMap(({ tap }) => (tap === own ? [] : [tap]));
    this.#taps = this.#taps.filter(({ tap }) => tap === own);
    this.ask();
    return others;
  }

  close(): void {
    for (const { tap } of this.#taps) tap.close();
    this.#taps = [];
    this.ask();
  }
}
