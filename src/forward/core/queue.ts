/** Packets that wait for a target: bounded in time and bytes, and cut to a key frame where they exceed it. */
import { FORWARD_LIMITS } from './limits.js';
import type { Packet } from './packets.js';

/** The latest metadata and sequence headers. */
export interface Headers {
  readonly metadata?: Uint8Array;
  readonly video?: Uint8Array;
  readonly audio?: Uint8Array;
  /** Sequence headers of the tracks beside the first. */
  readonly others?: readonly TrackHeader[];
}

export interface TrackHeader {
  readonly kind: 'audio' | 'video';
  readonly track: number;
  readonly bytes: Uint8Array;
}

export interface Queued extends Packet {
  /** Time of the broadcast, which wraps and jumps nowhere. */
  readonly timeMs: number;
  /** The headers in force, of a packet with which a stream may begin. */
  readonly headers?: Headers;
}

export class PacketQueue {
  #packets: Queued[] = [];
  /** Those before it have been taken. */
  #next = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get first(): Queued | undefined {
    return this.#packets[this.#next];
  }

  get isEmpty(): boolean {
    return this.#packets.length === this.#next;
  }

  push(packet: Queued): void {
    this.#packets.push(packet);
    this.#bytes += packet.bytes.length;
  }

  take(): Queued | undefined {
    const packet = this.#packets[this.#next];
    if (packet === undefined) return undefined;
    this.#next++;
    this.#bytes -= packet.bytes.length;
    if (this.#next === this.#packets.length) this.clear();
    else if (this.#next >= 256 && this.#next * 2 >= this.#packets.length) {
      this.#packets = this.#packets.slice(this.#next);
      this.#next = 0;
    }
    return packet;
  }

  /** More waits than a target is given. */
  isOver(atMs: number): boolean {
    const { first } = this;
    return (
      first !== undefined && (atMs - first.atMs > FORWARD_LIMITS.queueMs || this.#bytes > FORWARD_LIMITS.queueBytes)
    );
  }

  /** Drops what is older than the newest key frame; false: it has none after the first packet, and all is dropped. */
  cut(): boolean {
    const at = this.#packets.findLastIndex(({ headers }) => headers !== undefined);
    const isKept = at > this.#next;
    this.#packets = isKept ? this.#packets.slice(at) : [];
    this.#next = 0;
    this.#bytes = this.#packets.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return isKept;
  }

  clear(): void {
    this.#packets = [];
    this.#next = 0;
    this.#bytes = 0;
  }
}
