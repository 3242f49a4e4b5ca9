/**
 * Chunks to messages (RTMP 1.0 5.3, 5.4.1, 5.4.2). Payload is not copied: a message is a list of slices of the input
 * buffers, which must not be overwritten while referenced. Hot path: nothing is allocated per chunk or message.
 *
 * Set Chunk Size and Abort are applied here and not delivered. Refuses input over `RtmpLimits`, invalid chunk sizes, and a
 * type 2 or 3 header on a chunk stream without an earlier header.
 */
import { WireError } from '../../bytes/wire-error.js';
import { longestMessage, type RtmpLimits } from '../limits.js';
import { type MessageSink, newRtmpMessage } from '../messages/message.js';
import { DEFAULT_CHUNK_SIZE, EXTENDED_TIMESTAMP, MAX_MESSAGE_LENGTH, MESSAGE_TYPE } from '../protocol.js';
import { type ChunkStream, mergeSmallPieces } from './chunk-stream.js';
import {
  abortWithoutId,
  badChunkSize,
  ChunkStreams,
  chunksTooSmall,
  chunkWithoutHeader,
  detachUnfinished,
  messageTooLong,
  unfinishedTooLarge,
} from './chunk-streams.js';

/** Basic header of 3 bytes, message header of 11, extended timestamp of 4. */
const MAX_HEADER_BYTES = 18;

/** Message header sizes of chunk types 0 to 3 (RTMP 1.0 5.3.1.2). */
const MESSAGE_HEADER_BYTES = [11, 7, 3, 0] as const;

function readU24(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) * 0x1000000 + readU24(bytes, at + 1)) >>> 0;
}

/**
 * Size of the extended timestamp that a type 3 chunk repeats (RTMP 1.0 5.3.1.3) and that older librtmp and OBS omit
 * (obsproject/obs-studio#10097). 4: the next bytes equal `value`. 0: a byte differs, so they are payload. -1: equal so
 * far, but incomplete.
 */
function matchExtendedTimestamp(bytes: Uint8Array, at: number, end: number, value: number): number {
  for (let i = 0; i < 4; i++) {
    if (at + i >= end) return -1;
    if (bytes[at + i] !== ((value >>> (24 - 8 * i)) & 0xff)) return 0;
  }
  return 4;
}

/** The message stream ID, the only little-endian field of RTMP (RTMP 1.0 5.3.1.2.1). */
function readStreamId(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

/**
 * RTMP 1.0 5.3.1.2.4: a type 3 chunk that begins a message after a type 0 chunk takes that chunk's timestamp as its delta.
 * Some encoders mean "same time" instead. A timestamp above this bound is not taken as a delta.
 */
const MAX_REPEATED_TIME_MS = 1000;

/** Bounds on what a peer makes the decoder hold and do. */
class DecoderBounds {
  readonly #limits: RtmpLimits;
  /** Bytes of unfinished messages. A plain field: it is compared after each read. */
  heldMax: number;

  constructor(limits: RtmpLimits) {
    this.#limits = limits;
    this.heldMax = limits.unfinishedBytesBeforePublish;
  }

  /** Raises the bound on unfinished messages to `unfinishedBytes`. */
  raise(): void {
    this.heldMax = this.#limits.unfinishedBytes;
  }

  heldFault(bytes: number, offset: number): WireError {
    return unfinishedTooLarge(bytes, this.heldMax, offset);
  }

  /** Bounds the number of chunks by the bytes received. @throws WireError */
  limitWork(chunks: number, receivedBytes: number, chunkSize: number): void {
    const { freeChunks, bytesPerChunk } = this.#limits;
    if (chunks > freeChunks && (chunks - freeChunks) * bytesPerChunk > receivedBytes) {
      throw chunksTooSmall(chunks, receivedBytes, chunkSize);
    }
  }
}

export class ChunkDecoder {
  readonly #sink: MessageSink;
  readonly #limits: RtmpLimits;
  readonly #bounds: DecoderBounds;
  readonly #streams: ChunkStreams;
  readonly #carry = new Uint8Array(MAX_HEADER_BYTES);
  readonly #message = newRtmpMessage();

  #chunkSize = DEFAULT_CHUNK_SIZE;
  #carried = 0;
  /** The stream whose chunk is being read, and the payload bytes of that chunk still missing. */
  #current: ChunkStream | undefined;
  #chunkMissing = 0;
  /** The stream of the last chunk that is complete. */
  #last: ChunkStream | undefined;
  /** Messages of which bytes are missing. */
  #unfinished = 0;
  /** Connection offset of the first byte of the input buffer. */
  #base = 0;
  #chunks = 0;
  #failure: WireError | undefined;

  constructor(sink: MessageSink, limits: RtmpLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#streams = new ChunkStreams(limits.chunkStreams);
    this.#bounds = new DecoderBounds(limits);
  }

  /** The peer's current chunk size. */
  get chunkSize(): number {
    return this.#chunkSize;
  }

  /** Messages completed so far, Set Chunk Size and Abort included. */
  get messageCount(): number {
    return this.#message.messageNumber;
  }

  get chunkCount(): number {
    return this.#chunks;
  }

  /** Memory held by unfinished messages, as of the last push. */
  get heldBytes(): number {
    return this.#streams.heldBytes;
  }

  /** Raises the bound on unfinished messages to `unfinishedBytes`. */
  raiseLimits(): void {
    this.#bounds.raise();
  }

  /** Counts bytes of the connection that are not chunks: the handshake. */
  skip(bytes: number): void {
    this.#base += bytes;
  }

  /**
   * Decodes the bytes from `from` on and delivers each completed message; `read` and `seal` in one.
   * @throws WireError; after the first one every push throws it again
   */
  push(bytes: Uint8Array, from = 0): void {
    this.read(bytes, from, bytes.length);
    this.seal(bytes);
  }

  /**
   * Decodes `bytes[from, to)` and delivers each completed message. An unfinished message refers to `bytes` until `seal` or
   * `detach`, one of which must be called before another buffer is read.
   * @throws WireError, as `push`
   */
  read(bytes: Uint8Array, from: number, to: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#base -= from;
    try {
      this.#decode(bytes, from, to);
      this.#base += to;
      this.#bounds.limitWork(this.#chunks, this.#base, this.#chunkSize);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /**
   * The buffer will not be overwritten: unfinished messages keep references to it, or copy small parts.
   * @throws WireError, as `push`
   */
  seal(bytes: Uint8Array): void {
    this.#streams.seal(bytes);
    this.#limitHeld();
  }

  /**
   * The buffer will be overwritten: unfinished messages copy what is needed of them.
   * @throws WireError, as `push`
   */
  detach(bytes: Uint8Array): void {
    if (this.#unfinished === 0) return;
    const last = this.#current ?? this.#last;
    const held =
      this.#unfinished === 1 && last !== undefined && last.missing > 0
        ? detachUnfinished(last, bytes, this.#sink)
        : this.#streams.detach(bytes, this.#sink);
    if (held > this.#bounds.heldMax) this.#limitHeld();
  }

  /** An unfinished message has bytes in this buffer. */
  refersTo(bytes: Uint8Array): boolean {
    return this.#streams.referTo(bytes);
  }

  #fail(error: unknown): unknown {
    this.#failure =
      error instanceof WireError
        ? error
        : new WireError('RTMP_DECODER_STOPPED', 'the receiver of a message failed', 'RTMP 1.0 5.3', this.#base);
    return error;
  }

  #decode(bytes: Uint8Array, from: number, end: number): void {
    let at = from;
    while (at < end) {
      const stream = this.#current;
      if (stream !== undefined) {
        const available = end - at;
        const size = Math.min(this.#chunkMissing, available);
        const { payload, partial } = stream;
        if (partial !== undefined && payload.length + size <= partial.skipTo) partial.skip(payload, size);
        else payload.append(bytes, at, at + size);
        at += size;
        stream.missing -= size;
        this.#chunkMissing -= size;
        if (this.#chunkMissing === 0) {
          this.#current = undefined;
          this.#last = stream;
          if (stream.missing === 0) {
            this.#unfinished--;
            this.#deliver(stream);
          }
        }
      } else if (this.#carried > 0) {
        at = this.#finishCarriedHeader(bytes, at, end);
      } else if (this.#goesOn(bytes[at] as number)) {
        at++;
      } else {
        const size = this.#readHeader(bytes, at, end, this.#base + at);
        if (size === 0) {
          while (at < end) this.#carry[this.#carried++] = bytes[at++] as number;
        } else {
          at += size;
        }
      }
    }
  }

  /** Nearly every header: one byte, which says that the message of the last chunk goes on. Begins the chunk if so. */
  #goesOn(header: number): boolean {
    const last = this.#last;
    if (last === undefined || header !== last.shortHeader || last.missing === 0 || last.extended) return false;
    this.#beginChunk(last);
    return true;
  }

  /** Completes a header that began in an earlier buffer. Returns the offset at which reading continues. */
  #finishCarriedHeader(bytes: Uint8Array, from: number, end: number): number {
    const before = this.#carried;
    let at = from;
    while (this.#carried < MAX_HEADER_BYTES && at < end) this.#carry[this.#carried++] = bytes[at++] as number;
    const carried = this.#carried;
    const size = this.#readHeader(this.#carry, 0, carried, this.#base + from - before);
    if (size === 0) return at;
    this.#carried = 0;
    if (size >= before) return from + (size - before);
    // Bytes carried as a possible extended timestamp turned out to be payload; some are from the earlier buffer.
    const payload = this.#carry.slice(size, before);
    this.#base += from - payload.length;
    this.#decode(payload, 0, payload.length);
    this.seal(payload);
    this.#base -= from - payload.length;
    return from;
  }

  /**
   * Reads one chunk header and begins its payload. Returns its size, or 0 if `bytes[at, end)` does not hold all of it, in
   * which case no state has changed.
   */
  #readHeader(bytes: Uint8Array, at: number, end: number, offset: number): number {
    let p = at + 1;
    const first = bytes[at] as number;
    const format = first >> 6;
    let id = first & 0x3f;
    // RTMP 1.0 5.3.1.1: IDs from 64 on take one or two more bytes, low byte first.
    if (id === 0) {
      if (p + 1 > end) return 0;
      id = 64 + (bytes[p] as number);
      p += 1;
    } else if (id === 1) {
      if (p + 2 > end) return 0;
      id = 64 + (bytes[p] as number) + (bytes[p + 1] as number) * 256;
      p += 2;
    }
    if (p + (MESSAGE_HEADER_BYTES[format] as number) > end) return 0;

    const known = this.#streams.find(id);
    if (format === 3) {
      if (known === undefined) throw chunkWithoutHeader(id, format, offset);
      if (known.extended) {
        const extra = matchExtendedTimestamp(bytes, p, end, known.extendedValue);
        if (extra < 0) return 0;
        p += extra;
      }
      if (known.missing === 0) {
        known.timestampMs = (known.timestampMs + known.deltaMs) >>> 0;
        this.#beginMessage(known, offset);
      }
      this.#beginChunk(known);
      return p - at;
    }

    const timeField = readU24(bytes, p);
    const extended = timeField === EXTENDED_TIMESTAMP;
    const timeAt = p + (MESSAGE_HEADER_BYTES[format] as number);
    if (extended && timeAt + 4 > end) return 0;
    const time = extended ? readU32(bytes, timeAt) : timeField;

    let stream = known;
    if (stream === undefined) {
      // The DJI Osmo begins a chunk stream with type 1. Types 2 and 3 have no length, so they cannot be accepted.
      if (format === 2) throw chunkWithoutHeader(id, format, offset);
      stream = this.#streams.add(id, offset);
    }
    if (stream.missing > 0) {
      this.#unfinished--;
      stream.drop();
      this.#sink.reportFault?.('partial-message-dropped');
    }
    if (format <= 1) {
      stream.length = readU24(bytes, p + 3);
      stream.typeId = bytes[p + 6] as number;
    }
    if (format === 0) {
      stream.messageStreamId = readStreamId(bytes, p + 7);
      stream.timestampMs = time;
      stream.deltaMs = time <= MAX_REPEATED_TIME_MS ? time : 0;
    } else {
      stream.timestampMs = (stream.timestampMs + time) >>> 0;
      stream.deltaMs = time;
    }
    stream.extended = extended;
    stream.extendedValue = time;
    this.#beginMessage(stream, offset);
    this.#beginChunk(stream);
    return (extended ? timeAt + 4 : timeAt) - at;
  }

  #beginMessage(stream: ChunkStream, offset: number): void {
    const { length, typeId } = stream;
    const most = longestMessage(typeId, this.#limits);
    if (length > most) throw messageTooLong(stream, most, offset);
    stream.byteOffset = offset;
    stream.missing = length;
    if (length > 0) this.#unfinished++;
  }

  #beginChunk(stream: ChunkStream): void {
    this.#chunks++;
    if (stream.missing === 0) {
      this.#deliver(stream);
      return;
    }
    this.#current = stream;
    this.#chunkMissing = Math.min(stream.missing, this.#chunkSize);
  }

  #deliver(stream: ChunkStream): void {
    const message = this.#message;
    message.messageNumber++;
    const typeId = stream.typeId;
    if (typeId === MESSAGE_TYPE.setChunkSize) {
      this.#chunkSize = chunkSizeOf(stream);
    } else if (typeId === MESSAGE_TYPE.abort) {
      this.#abort(stream);
    } else {
      mergeSmallPieces(stream.payload);
      message.typeId = typeId;
      message.timestampMs = stream.timestampMs;
      message.messageStreamId = stream.messageStreamId;
      message.chunkStreamId = stream.id;
      message.payload = stream.payload;
      message.byteOffset = stream.byteOffset;
      this.#sink.takeMessage(message);
    }
    stream.drop();
  }

  #abort(stream: ChunkStream): void {
    const aborted = this.#streams.find(abortedId(stream));
    if (aborted === undefined || aborted.missing === 0) return;
    this.#unfinished--;
    aborted.drop();
    this.#sink.reportFault?.('message-aborted');
  }

  #limitHeld(): void {
    const held = this.heldBytes;
    if (held <= this.#bounds.heldMax) return;
    this.#failure = this.#bounds.heldFault(held, this.#base);
    throw this.#failure;
  }
}

/** The new chunk size (RTMP 1.0 5.4.1): 31 bits, at least 1. @throws WireError */
function chunkSizeOf({ payload, byteOffset }: ChunkStream): number {
  if (payload.length < 4) throw badChunkSize(undefined, byteOffset);
  const size = readU32(payload.copy(0, 4), 0);
  if (size < 1 || size > 0x7fffffff) throw badChunkSize(size, byteOffset);
  return Math.min(size, MAX_MESSAGE_LENGTH);
}

/** The chunk stream whose message is aborted (RTMP 1.0 5.4.2). @throws WireError */
function abortedId({ payload, byteOffset }: ChunkStream): number {
  if (payload.length < 4) throw abortWithoutId(byteOffset);
  return readU32(payload.copy(0, 4), 0);
}
