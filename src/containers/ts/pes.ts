/** PES packets of one PID (ISO/IEC 13818-1, 2.4.3.6), put together from transport packets. */
import { WireError } from '../../bytes/wire-error.js';
import { FRAME_BYTES_MAX } from '../source/limits.js';
import type { Packet } from './packets.js';

const CLAUSE = 'ISO/IEC 13818-1, 2.4.3.6';
const HEADER_BYTES = 9;
const FIRST_BYTES = 64 * 1024;

export interface Pes {
  /** In units of 1/90,000 s, modulo 2^33; undefined: it has none. */
  readonly presentation: number | undefined;
  readonly decode: number | undefined;
  readonly data: Uint8Array;
  /** Position of its first packet in the file. */
  readonly at: number;
}

export class PesAssembler {
  /** Position of the first packet that was lost or damaged. */
  damagedAt: number | undefined;
  /** Copies, because the packets of other streams between its own would be kept with them. */
  #bytes = new Uint8Array(FIRST_BYTES);
  #there = 0;
  /** Whole size; 0: up to the next one, which is allowed for video. */
  #size = 0;
  #at = 0;
  #isOpen = false;
  #isPadded = false;
  #counter = -1;

  /** The PES packet that ended before this packet or with it. */
  take(packet: Packet): Pes | undefined {
    this.#checkCounter(packet);
    if (!packet.hasPayload) return undefined;
    const ended = packet.isStart ? this.end() : undefined;
    if (packet.isStart) this.#open(packet);
    if (!this.#isOpen) return ended;
    const { buffer, from, to } = packet;
    const size = this.#there + to - from;
    if (size > FRAME_BYTES_MAX) {
      throw new WireError('CONTAINER_FRAME_SIZE', `a frame of ${size} bytes`, CLAUSE, this.#at);
    }
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(2 * size);
      larger.set(this.#bytes.subarray(0, this.#there));
      this.#bytes = larger;
    }
    this.#bytes.set(buffer.subarray(from, to), this.#there);
    this.#there = size;
    this.#isPadded = packet.isPadded;
    return ended ?? (this.#size > 0 && this.#there >= this.#size ? this.end() : undefined);
  }

  /** Closes the open PES packet: at the end of the file, or before the next one. */
  end(): Pes | undefined {
    if (!this.#isOpen) return undefined;
    this.#isOpen = false;
    const bytes = this.#bytes.slice(0, this.#there);
    if (this.#size > 0 && bytes.length < this.#size) this.damagedAt ??= this.#at;
    return readPes(this.#size > 0 ? bytes.subarray(0, this.#size) : bytes, this.#at);
  }

  /** The open PES packet does not say its length, and nothing shows that its last packet was the last. */
  get isEndOpen(): boolean {
    return this.#isOpen && this.#size === 0 && !this.#isPadded;
  }

  /** Bytes that the open PES packet says it has, and those that came; undefined: none is open, or it does not say. */
  get missing(): { readonly size: number; readonly there: number } | undefined {
    return this.#isOpen && this.#size > this.#there ? { size: this.#size, there: this.#there } : undefined;
  }

  #open({ buffer, from, to, at }: Packet): void {
    this.#there = 0;
    this.#at = at;
    // Start code 00 00 01; a table, or scrambled payload, has another.
    this.#isOpen = to - from >= 6 && buffer[from] === 0 && buffer[from + 1] === 0 && buffer[from + 2] === 1;
    const length = ((buffer[from + 4] ?? 0) << 8) | (buffer[from + 5] ?? 0);
    this.#size = length === 0 ? 0 : 6 + length;
  }

  #checkCounter({ counter, hasPayload, isDiscontinuous, isFaulty, at }: Packet): void {
    const expected = hasPayload ? (this.#counter + 1) & 0x0f : this.#counter;
    if (isFaulty || (this.#counter >= 0 && !isDiscontinuous && counter !== expected)) this.damagedAt ??= at;
    this.#counter = counter;
  }
}

function readPes(bytes: Uint8Array, at: number): Pes | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  // '10' marks the header of all streams of audio and video.
  if (((bytes[6] ?? 0) & 0xc0) !== 0x80)
    return { presentation: undefined, decode: undefined, data: bytes.subarray(6), at };
  const flags = (bytes[7] ?? 0) >> 6;
  const data = bytes.subarray(Math.min(bytes.length, HEADER_BYTES + (bytes[8] ?? 0)));
  const presentation = flags >= 2 && bytes.length >= 14 ? timeAt(bytes, 9) : undefined;
  const decode = flags === 3 && bytes.length >= 19 ? timeAt(bytes, 14) : presentation;
  return { presentation, decode, data, at };
}

/** 33 bits in five bytes with markers. */
function timeAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] ?? 0) >> 1) & 7;
  const middle = (((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)) >> 1;
  const low = (((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0)) >> 1;
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}
