/**
 * Incremental FLV reader (FLV E.2, E.3): bytes in, tags out, in constant memory and without copying payload. A caller that
 * reads a file can skip the next `unwanted` bytes.
 * Data tags (onMetaData) are delivered undecoded, because AMF0 belongs to `src/rtmp`.
 * Refuses (WireError) input that is not FLV or has lost its tag structure. Tolerates and counts wrong back pointers
 * (PreviousTagSize), unknown tag types and a truncated end.
 */
import { PartialFrame } from '../../bytes/partial-frame.js';
import { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { BACK_POINTER_BYTES, FILE_HEADER_BYTES, TAG_HEADER_BYTES } from './sizes.js';
import type { TagHead } from './tag-head.js';

export type FlvTagKind = 'audio' | 'video' | 'data';

/** Receives tags in file order. */
export interface FlvTagSink {
  /** `hasAudio` and `hasVideo` are the header's claims, often wrong. */
  header?(hasAudio: boolean, hasVideo: boolean): void;
  /**
   * One tag. `payload` is the tag body, valid only during the call; its buffers are the pushed ones.
   * `timestampMs` is 0 to 2^32 - 1; `byteOffset` is that of the tag's first byte in the file.
   */
  tag(kind: FlvTagKind, timestampMs: number, payload: SliceList, byteOffset: number): void;
  /** Offers the first bytes of a tag. True: they suffice, and `tag` is not called. */
  parsePrefix?(head: TagHead): boolean;
  /** Offset of the next byte needed of a video body received as far as `payload`. Absent: all bytes are needed. */
  nextWanted?(payload: SliceList, partial: PartialFrame): number;
}

const NOTHING = new Uint8Array(0);
const BETWEEN_BODIES_BYTES = BACK_POINTER_BYTES + TAG_HEADER_BYTES;
/** Longer headers than 9 bytes are allowed for later versions; none exists. */
const MAX_DATA_OFFSET = 65_536;

const AUDIO = 8;
const VIDEO = 9;
const DATA = 18;

type State = 'fileHeader' | 'skip' | 'backPointer' | 'tagHeader' | 'body';

export class FlvFileReader {
  /** Tags whose back pointer was wrong. */
  wrongBackPointers = 0;
  /** Tags of types other than audio, video and data, and encrypted ones. */
  skippedTags = 0;
  readonly #sink: FlvTagSink;
  readonly #fileBytes: number;
  readonly #payload = new SliceList();
  readonly #head: TagHead = {
    kind: 'audio',
    timestampMs: 0,
    bytes: NOTHING,
    from: 0,
    to: 0,
    size: 0,
    byteOffset: Number.NaN,
  };
  /** Progress of `nextWanted` over the current tag. */
  readonly #partial = new PartialFrame();
  /** Bytes of a header that spans two pushes. */
  readonly #pending = new Uint8Array(TAG_HEADER_BYTES);
  #pendingSize = 0;
  #state: State = 'fileHeader';
  #skipLeft = 0;
  #bodyLeft = 0;
  /** Undefined: the body, or the rest of it, is not needed. */
  #kind: FlvTagKind | undefined;
  #timestampMs = 0;
  #tagOffset = Number.NaN;
  #tagSize = 0;
  #lastPointerWrong = false;
  /** Bytes of the file that were pushed or skipped. Offsets are doubles from the start, like those of `PacketFacts`. */
  #taken = Number.NaN;
  /** File offset of byte 0 of the current buffer. */
  #origin = Number.NaN;

  /** `fileBytes`: size of the file, if known. A tag that may be truncated is not delivered by its prefix. */
  constructor(sink: FlvTagSink, fileBytes = 0) {
    this.#sink = sink;
    this.#fileBytes = fileBytes;
    this.#taken = 0;
    this.#origin = 0;
    this.#tagOffset = 0;
  }

  /**
   * Reads the next bytes of the file, `bytes[from, to)`. They must not change until their tag has been delivered.
   * Throws WireError: FLV_SIGNATURE, FLV_VERSION, FLV_DATA_OFFSET, FLV_LOST_SYNC (an unknown tag after a wrong back pointer; neither alone).
   */
  push(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let at = from;
    this.#origin = this.#taken - from;
    while (at < to) {
      if (this.#state === 'body') at = this.#takeBody(bytes, at, to);
      else if (this.#state === 'backPointer' && this.#pendingSize === 0 && to - at >= BETWEEN_BODIES_BYTES)
        at = this.#takeBetweenBodies(bytes, at, to);
      else if (this.#state === 'skip') at = this.#skip(at, to);
      else at = this.#takeHeader(bytes, at, to);
    }
    this.#taken += to - from;
  }

  /** Number of next bytes that are not needed. The caller may pass them to `skip` instead of `push`. */
  get unwanted(): number {
    if (this.#state !== 'body') return 0;
    if (this.#kind === undefined) return this.#bodyLeft;
    if (this.#kind !== 'video' || this.#sink.nextWanted === undefined) return 0;
    const have = this.#payload.length;
    return Math.min(this.#bodyLeft, this.#sink.nextWanted(this.#payload, this.#partial) - have);
  }

  /** Skips the next `count` bytes of the file, at most `unwanted`. */
  skip(count: number): void {
    this.#taken += count;
    this.#bodyLeft -= count;
    if (this.#kind !== undefined) this.#payload.pushHole(count);
    if (this.#bodyLeft === 0) this.#finishTag();
  }

  /** An unfinished tag refers to pushed bytes. */
  get holdsBytes(): boolean {
    return this.#payload.count > 0;
  }

  /** Ends the file. True if it ended inside a tag, which is dropped. Throws FLV_SIGNATURE if it ended before the header. */
  end(): boolean {
    if (this.#state === 'fileHeader') {
      throw new WireError('FLV_SIGNATURE', 'the input ends before the FLV header', 'FLV E.2', this.#taken);
    }
    const inside = this.#state === 'body' || (this.#state === 'tagHeader' && this.#pendingSize > 0);
    this.#payload.clear();
    return inside;
  }

  /** Fast path: back pointer and tag header in one piece. */
  #takeBetweenBodies(bytes: Uint8Array, at: number, to: number): number {
    const header = at + BACK_POINTER_BYTES;
    this.#checkBackPointer(uint32(bytes, at));
    this.#parseTagHeader(bytes, header, this.#origin + header);
    const body = header + TAG_HEADER_BYTES;
    if (this.#kind === 'audio' || this.#kind === 'video') this.#parsePrefix(this.#kind, bytes, body, to);
    return body;
  }

  #parsePrefix(kind: 'audio' | 'video', bytes: Uint8Array, from: number, to: number): void {
    const size = this.#bodyLeft;
    const end = from + size;
    const isAvailable = end <= to || this.#origin + end <= this.#fileBytes;
    if (!isAvailable || this.#sink.parsePrefix === undefined) return;
    const head = this.#head;
    head.kind = kind;
    head.timestampMs = this.#timestampMs;
    head.bytes = bytes;
    head.from = from;
    head.to = Math.min(to, end);
    head.size = size;
    head.byteOffset = this.#tagOffset;
    if (this.#sink.parsePrefix(head)) this.#kind = undefined;
  }

  #takeHeader(bytes: Uint8Array, at: number, to: number): number {
    const size = headerSize(this.#state);
    const missing = size - this.#pendingSize;
    if (this.#pendingSize === 0 && to - at >= size) {
      this.#parseHeader(bytes, at, this.#origin + at);
      return at + size;
    }
    const take = Math.min(missing, to - at);
    for (let i = 0; i < take; i++) this.#pending[this.#pendingSize + i] = bytes[at + i] as number;
    this.#pendingSize += take;
    if (this.#pendingSize === size) {
      this.#pendingSize = 0;
      this.#parseHeader(this.#pending, 0, this.#origin + at + take - size);
    }
    return at + take;
  }

  #parseHeader(bytes: Uint8Array, at: number, fileOffset: number): void {
    if (this.#state === 'tagHeader') this.#parseTagHeader(bytes, at, fileOffset);
    else if (this.#state === 'backPointer') this.#checkBackPointer(uint32(bytes, at));
    else this.#parseFileHeader(bytes, at);
  }

  #parseFileHeader(bytes: Uint8Array, at: number): void {
    if (bytes[at] !== 0x46 || bytes[at + 1] !== 0x4c || bytes[at + 2] !== 0x56) {
      throw new WireError('FLV_SIGNATURE', 'the first three bytes are not "FLV"', 'FLV E.2', 0);
    }
    if (bytes[at + 3] !== 1)
      throw new WireError('FLV_VERSION', `FLV version is ${bytes[at + 3]}, expected 1`, 'FLV E.2', 3);
    const dataOffset = uint32(bytes, at + 5);
    if (dataOffset < FILE_HEADER_BYTES || dataOffset > MAX_DATA_OFFSET) {
      throw new WireError('FLV_DATA_OFFSET', `DataOffset is ${dataOffset}, expected 9`, 'FLV E.2', 5);
    }
    const flags = bytes[at + 4] as number;
    this.#sink.header?.((flags & 4) !== 0, (flags & 1) !== 0);
    this.#skipLeft = dataOffset - FILE_HEADER_BYTES;
    this.#state = this.#skipLeft > 0 ? 'skip' : 'backPointer';
  }

  #checkBackPointer(previousTagSize: number): void {
    this.#lastPointerWrong = previousTagSize !== this.#tagSize;
    if (this.#lastPointerWrong) this.wrongBackPointers++;
    this.#state = 'tagHeader';
  }

  #parseTagHeader(bytes: Uint8Array, at: number, fileOffset: number): void {
    const type = bytes[at] as number;
    // Bit 0x20 marks an encrypted body, which cannot be parsed.
    this.#kind = type === VIDEO ? 'video' : type === AUDIO ? 'audio' : type === DATA ? 'data' : undefined;
    if (this.#kind === undefined) {
      if (this.#lastPointerWrong) {
        throw new WireError(
          'FLV_LOST_SYNC',
          `tag type ${type} after a wrong back pointer at byte ${fileOffset}`,
          'FLV E.3',
          fileOffset,
        );
      }
      this.skippedTags++;
    }
    this.#bodyLeft = uint24(bytes, at + 1);
    this.#timestampMs = uint24(bytes, at + 4) + (bytes[at + 7] as number) * 0x1000000;
    this.#tagOffset = fileOffset;
    this.#tagSize = TAG_HEADER_BYTES + this.#bodyLeft;
    this.#state = 'body';
    if (this.#bodyLeft === 0) this.#finishTag();
  }

  #takeBody(bytes: Uint8Array, at: number, to: number): number {
    const take = Math.min(this.#bodyLeft, to - at);
    if (this.#kind !== undefined) this.#payload.append(bytes, at, at + take);
    this.#bodyLeft -= take;
    if (this.#bodyLeft === 0) this.#finishTag();
    return at + take;
  }

  #finishTag(): void {
    this.#state = 'backPointer';
    if (this.#kind !== undefined) this.#sink.tag(this.#kind, this.#timestampMs, this.#payload, this.#tagOffset);
    this.#payload.clear();
    this.#partial.restart();
  }

  #skip(at: number, to: number): number {
    const take = Math.min(this.#skipLeft, to - at);
    this.#skipLeft -= take;
    if (this.#skipLeft === 0) this.#state = 'backPointer';
    return at + take;
  }
}

function headerSize(state: State): number {
  if (state === 'tagHeader') return TAG_HEADER_BYTES;
  return state === 'backPointer' ? BACK_POINTER_BYTES : FILE_HEADER_BYTES;
}

function uint24(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) * 0x1000000 + uint24(bytes, at + 1);
}
