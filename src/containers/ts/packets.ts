/** Packets of a transport stream (ISO/IEC 13818-1, 2.4.3): 188 bytes each, alone, behind a time stamp or before parity bytes. */
import type { SourceReader } from '../source/source-reader.js';

export const TS_BYTES = 188;
/** With a time stamp before each packet (Blu-ray, camcorders). */
export const TIMED_BYTES = 192;
/** 204: with Reed-Solomon parity after each packet (broadcast). */
const PACKET_BYTES = [TS_BYTES, TIMED_BYTES, 204] as const;
export const SYNC = 0x47;
const SYNCS_SURE = 5;

export interface Layout {
  /** Position of the first packet's sync byte. */
  readonly first: number;
  readonly packetBytes: number;
}

/** Undefined: no transport stream. */
export function layoutOf(head: Uint8Array): Layout | undefined {
  for (let first = 0; first < PACKET_BYTES[2]; first++) {
    for (const packetBytes of PACKET_BYTES) {
      const sync = packetBytes === TIMED_BYTES ? 4 : 0;
      // A sync byte behind more than a packet of other data does not make a transport stream.
      if (first + sync < packetBytes && syncs(head, first + sync, packetBytes))
        return { first: first + sync, packetBytes };
    }
  }
  return undefined;
}

/** Checks five packets, or all of a short file, but at least two. */
function syncs(head: Uint8Array, at: number, packetBytes: number): boolean {
  let found = 0;
  for (let position = at; position < head.length && found < SYNCS_SURE; position += packetBytes) {
    if (head[position] !== SYNC) return false;
    found++;
  }
  return found >= 2;
}

/** One object is reused. */
export interface Packet {
  /** Position in the file. */
  at: number;
  pid: number;
  /** A PES packet or a section begins in it. */
  isStart: boolean;
  isScrambled: boolean;
  /** Its sender marked it as damaged. */
  isFaulty: boolean;
  /** A jump of the continuity counter is intended. */
  isDiscontinuous: boolean;
  hasPayload: boolean;
  /** It has an adaptation field, by which a shorter payload is stuffed. */
  isPadded: boolean;
  counter: number;
  buffer: Uint8Array;
  /** Payload: `[from, to)` of the buffer. */
  from: number;
  to: number;
}

const PACKETS_READ = 512;

/** All packets from the first on; where the sync is lost, from the next place where it is found. */
export class PacketReader {
  /** Position behind the last whole packet. */
  end: number;
  /** First position where no packet was. */
  lostAt: number | undefined;
  readonly packet: Packet = {
    at: 0,
    pid: 0,
    isStart: false,
    isScrambled: false,
    isFaulty: false,
    isDiscontinuous: false,
    hasPayload: false,
    isPadded: false,
    counter: 0,
    buffer: new Uint8Array(0),
    from: 0,
    to: 0,
  };
  readonly #file: SourceReader;
  readonly #packetBytes: number;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;

  constructor(file: SourceReader, { first, packetBytes }: Layout) {
    this.#file = file;
    this.#packetBytes = packetBytes;
    this.end = first;
  }

  /** Sets `packet` from the bytes that are in memory. False: more must be read, or the file ends. */
  next(): boolean {
    const at = this.end - this.#windowAt;
    const window = this.#window;
    if (at + TS_BYTES > window.length || window[at] !== SYNC) return false;
    const packet = this.packet;
    const second = window[at + 1] as number;
    const fourth = window[at + 3] as number;
    packet.at = this.end;
    packet.pid = ((second & 0x1f) << 8) | (window[at + 2] as number);
    packet.isStart = (second & 0x40) !== 0;
    packet.isFaulty = (second & 0x80) !== 0;
    packet.isScrambled = (fourth & 0xc0) !== 0;
    packet.counter = fourth & 0x0f;
    packet.hasPayload = (fourth & 0x10) !== 0;
    packet.isDiscontinuous = false;
    packet.isPadded = (fourth & 0x20) !== 0;
    packet.buffer = window;
    packet.from = at + 4;
    packet.to = at + TS_BYTES;
    if (packet.isPadded) {
      const size = window[at + 4] as number;
      packet.isDiscontinuous = size > 0 && ((window[at + 5] as number) & 0x80) !== 0;
      packet.from = Math.min(packet.to, at + 5 + size);
    }
    this.end += this.#packetBytes;
    return true;
  }

  /** Reads on. False: the file ends. */
  async load(): Promise<boolean> {
    const at = this.end - this.#windowAt;
    if (at + TS_BYTES <= this.#window.length && !(await this.#resync())) return false;
    if (this.end + TS_BYTES > this.#file.size) return false;
    this.#window = await this.#file.bytes(this.end, PACKETS_READ * this.#packetBytes);
    this.#windowAt = this.end;
    return this.#window[0] === SYNC || this.#resync();
  }

  async #resync(): Promise<boolean> {
    this.lostAt ??= this.end;
    for (let at = this.end + 1; at + TS_BYTES <= this.#file.size; ) {
      const bytes = await this.#file.bytes(at, PACKETS_READ * this.#packetBytes);
      for (let i = bytes.indexOf(SYNC); i >= 0; i = bytes.indexOf(SYNC, i + 1)) {
        const next = i + this.#packetBytes;
        if (next < bytes.length ? bytes[next] !== SYNC : at + i + this.#packetBytes < this.#file.size) continue;
        this.end = at + i;
        this.#window = bytes;
        this.#windowAt = at;
        return true;
      }
      // The last packet's successor is not in these bytes.
      at += Math.max(1, bytes.length - this.#packetBytes);
    }
    this.end = this.#file.size;
    return false;
  }
}
