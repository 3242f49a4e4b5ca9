/** What looks at the packets of one publication: recorder, probe, relay. Costs two byte look-ups a packet while nobody does. */
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

  /** Somebody wants whole packets. */
  get keepPayload(): boolean {
    for (const tap of this.#taps) {
      if (tap.isIdle !== true) return true;
    }
    return false;
  }

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    const isHeader = this.#headers.look(kind, timestampMs, payload);
    for (const tap of this.#taps) {
      // A packet that was half here when somebody began to want packets has holes.
      if (!isHeader && (tap.isIdle === true || payload.hasHoles)) continue;
      if (tap.copies !== true) this.#giveAway(payload);
      tap.packet(kind, timestampMs, payload);
    }
  }

  #giveAway(payload: SliceList): void {
    for (let i = 0; i < payload.count; i++) this.#buffers.giveAway(payload.buffers[i] as Uint8Array);
  }

  /** What the sources want to see from here on. */
  open(sources: readonly TapSource[], liveVideoId: string, when: 'publish' | 'live', hasRoom: boolean): void {
    for (const source of sources) {
      const tap = source.open(liveVideoId, when, hasRoom);
      if (tap !== undefined) this.attach(tap);
    }
  }

  /** A tap from here on, told the latest metadata and sequence headers first. */
  attach(tap: MediaTap): void {
    this.#headers.replay((kind, timestampMs, payload) => tap.packet(kind, timestampMs, payload));
    this.#taps.push(tap);
  }

  /** A new list, because a tap may ask for it from within a packet. */
  detach(tap: MediaTap): void {
    this.#taps = this.#taps.filter((other) => other !== tap);
  }

  close(): void {
    for (const tap of this.#taps) tap.close();
    this.#taps = [];
  }
}
