/**
 * One time for a broadcast over all connections and clocks of its encoder: it goes on where the encoder starts again at 0, and
 * where its clock jumps. Audio and video are shifted together.
 */
import type { PacketKind } from './packets.js';

/** Within one track, decode times go back only where the clock of the encoder does. */
const BACK_MS = 500;
/** One track may lag behind the other one by this. */
const APART_MS = 5_000;
/** A larger step is a change of the clock, not a pause of the stream. */
const FORWARD_MS = 10_000;
/** Distance of the first packet after a seam: about one frame. */
export const SEAM_MS = 33;

interface Track {
  lastMs: number;
  /** The number of the shift that applied to its last packet. */
  shift: number;
}

export class Continuity {
  readonly #tracks = new Map<PacketKind, Track>();
  #last: { readonly fromMs: number; readonly toMs: number } | undefined;
  #lastMs = -SEAM_MS;
  #shift = 0;

  /** The encoder is another one, or has started again. */
  seam(): void {
    this.#last = undefined;
  }

  /** Time of a packet of another track than the first, beside the last one of that. Undefined: there was none since the seam. */
  beside(timestampMs: number): number | undefined {
    const known = this.#last;
    const atMs = known === undefined ? undefined : known.toMs + ((timestampMs - known.fromMs) | 0);
    return atMs !== undefined && Math.abs(atMs - this.#lastMs) <= APART_MS ? atMs : undefined;
  }

  at(kind: PacketKind, timestampMs: number): number {
    const known = this.#last;
    let atMs = known === undefined ? Number.NaN : known.toMs + ((timestampMs - known.fromMs) | 0);
    const track = this.#tracks.get(kind);
    const isNext =
      track?.shift === this.#shift
        ? atMs >= track.lastMs - BACK_MS && atMs <= track.lastMs + FORWARD_MS
        : atMs >= this.#lastMs - APART_MS && atMs <= this.#lastMs + FORWARD_MS;
    if (!isNext) {
      this.#shift++;
      atMs = this.#lastMs + SEAM_MS;
    }
    this.#last = { fromMs: timestampMs, toMs: atMs };
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#tracks.set(kind, { lastMs: atMs, shift: this.#shift });
    return atMs;
  }
}
