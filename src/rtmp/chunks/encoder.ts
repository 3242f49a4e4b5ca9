/**
 * Messages to chunks (RTMP 1.0 5.3). One call returns one contiguous buffer, so that a message is sent in one write: OBS and
 * ffmpeg block their sending thread while reading a message that has arrived in part.
 */
import { SliceList } from '../../bytes/slices.js';
import { DEFAULT_CHUNK_SIZE, EXTENDED_TIMESTAMP, MAX_MESSAGE_LENGTH } from '../protocol.js';

export interface ChunkEncoderOptions {
  /** Applies from the first message; the peer must know it (change it later with `setChunkSize`). Default 128. */
  readonly chunkSize?: number;
  /** `full`: every message has a type 0 header. `delta`: types 1, 2 and 3 where they suffice. */
  readonly headers?: 'full' | 'delta';
  /** Omits extended timestamps from type 3 chunks, as librtmp before 2.4 and OBS before 30.1 did. */
  readonly omitRepeatedTimestamps?: boolean;
}

/** RTMP 1.0 5.3.1: message header of type 0, basic header, extended timestamp. */
const LONGEST_FIELDS_BYTES = 11;
const LONGEST_BASIC_HEADER_BYTES = 3;
const EXTENDED_TIMESTAMP_BYTES = 4;

interface SentHeader {
  timestampMs: number;
  deltaMs: number;
  typeId: number;
  length: number;
  messageStreamId: number;
  /** The last header was of type 0, after which a repeated delta is ambiguous. */
  full: boolean;
}

export class ChunkEncoder {
  readonly #omitRepeated: boolean;
  /** The last header of each chunk stream; absent when every header is sent in full. */
  readonly #sent: Map<number, SentHeader> | undefined;
  #chunkSize: number;

  constructor(options: ChunkEncoderOptions = {}) {
    this.#chunkSize = options.chunkSize ?? DEFAULT_CHUNK_SIZE;
    this.#sent = options.headers === 'delta' ? new Map() : undefined;
    this.#omitRepeated = options.omitRepeatedTimestamps ?? false;
  }

  get chunkSize(): number {
    return this.#chunkSize;
  }

  /** Applies to messages encoded after this call. The caller sends Set Chunk Size first. */
  setChunkSize(size: number): void {
    if (!Number.isInteger(size) || size < 1 || size > 0x7fffffff) throw new RangeError(`invalid chunk size: ${size}`);
    this.#chunkSize = size;
  }

  /** Upper bound of the encoded size of a body of this length, headers included. */
  maxEncodedBytes(length: number): number {
    const chunks = Math.max(1, Math.ceil(length / this.#chunkSize));
    return length + LONGEST_FIELDS_BYTES + chunks * (LONGEST_BASIC_HEADER_BYTES + EXTENDED_TIMESTAMP_BYTES);
  }

  /**
   * The message as chunks. `timestampMs` is taken modulo 2^32.
   * @param chunkStreamId 2 to 65599
   */
  encode(
    chunkStreamId: number,
    typeId: number,
    messageStreamId: number,
    timestampMs: number,
    payload: Uint8Array | SliceList,
  ): Buffer {
    const out = Buffer.allocUnsafe(this.maxEncodedBytes(payload.length));
    const end = this.encodeInto(out, 0, chunkStreamId, typeId, messageStreamId, timestampMs, payload);
    return out.subarray(0, end);
  }

  /** Encodes to `out` at `start`, where `maxEncodedBytes` must be free. Returns the end offset. */
  encodeInto(
    out: Buffer,
    start: number,
    chunkStreamId: number,
    typeId: number,
    messageStreamId: number,
    timestampMs: number,
    payload: Uint8Array | SliceList,
  ): number {
    const length = payload.length;
    if (length > MAX_MESSAGE_LENGTH) throw new RangeError(`message too long: ${length} bytes`);
    const timestamp = timestampMs >>> 0;
    const header = this.#header(chunkStreamId, typeId, messageStreamId, timestamp, length);
    const format = header.format;
    const time = format === 0 ? timestamp : header.deltaMs;
    const extended = time >= EXTENDED_TIMESTAMP;
    const repeats = extended && !this.#omitRepeated;
    const firstTime = format === 3 ? repeats : extended;

    let at = writeBasicHeader(out, start, format, chunkStreamId);
    if (format <= 2) at = out.writeUIntBE(extended ? EXTENDED_TIMESTAMP : time, at, 3);
    if (format <= 1) {
      at = out.writeUIntBE(length, at, 3);
      at = out.writeUInt8(typeId, at);
    }
    if (format === 0) at = out.writeUInt32LE(messageStreamId, at);
    if (firstTime) at = out.writeUInt32BE(time, at);

    for (let from = 0; from < length || from === 0; from += this.#chunkSize) {
      if (from > 0) {
        at = writeBasicHeader(out, at, 3, chunkStreamId);
        if (repeats) at = out.writeUInt32BE(time, at);
      }
      const to = Math.min(length, from + this.#chunkSize);
      if (payload instanceof SliceList) payload.copyInto(out, at, from, to);
      else out.set(payload.subarray(from, to), at);
      at += to - from;
    }
    return at;
  }

  #header(
    chunkStreamId: number,
    typeId: number,
    messageStreamId: number,
    timestamp: number,
    length: number,
  ): { format: number; deltaMs: number } {
    if (this.#sent === undefined) return { format: 0, deltaMs: 0 };
    const last = this.#sent.get(chunkStreamId);
    const deltaMs = last === undefined ? 0 : (timestamp - last.timestampMs) >>> 0;
    let format = 0;
    // A delta cannot be negative, so a time before the last one needs a type 0 header (RTMP 1.0 5.3.1.2.2).
    if (last !== undefined && last.messageStreamId === messageStreamId && deltaMs < 0x80000000) {
      const same = last.typeId === typeId && last.length === length;
      format = !same ? 1 : last.full || last.deltaMs !== deltaMs ? 2 : 3;
    }
    this.#sent.set(chunkStreamId, {
      timestampMs: timestamp,
      deltaMs,
      typeId,
      length,
      messageStreamId,
      full: format === 0,
    });
    return { format, deltaMs };
  }
}

/** RTMP 1.0 5.3.1.1. */
function writeBasicHeader(out: Buffer, at: number, format: number, id: number): number {
  if (id < 64) return out.writeUInt8((format << 6) | id, at);
  if (id < 320) {
    out.writeUInt8(format << 6, at);
    return out.writeUInt8(id - 64, at + 1);
  }
  out.writeUInt8((format << 6) | 1, at);
  return out.writeUInt16LE(id - 64, at + 1);
}
