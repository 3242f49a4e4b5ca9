/** The consumers of one publication's packets: recorder, probe, relay. Without any, costs two byte reads per packet. */
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type { SliceList } from '../bytes/slices.js';
import { LatestHeaders } from '../media/flv/latest-headers.js';
import type { MediaTap, TapSource } from '../ports/index.js';

export class Taps {
  readonly #headers = new LatestHeaders();
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

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    const isHeader = this.#headers.observe(kind, timestampMs, payload);
    for (const tap of this.#taps) {
      // A packet that was partly received when the first tap became active has holes.
      if (!isHeader && (tap.isIdle === true || payload.hasHoles)) continue;
      if (tap.copies !== true) this.#giveAway(payload);
      tap.packet(kind, timestampMs, payload);
    }
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
    this.#headers.replay((kind, timestampMs, payload) => tap.packet(kind, timestampMs, payload));
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
