import { PartialFrame, UNDECIDED } from '../../bytes/partial-frame.js';
import { SliceList } from '../../bytes/slices.js';

/** Pieces smaller than this on average, as a peer with a tiny chunk size sends them, are merged into one. */
const SMALL_PIECE_BYTES = 64;
const FEW_PIECES = 8;
/** A piece may pin a network buffer of at most this many times its size. */
const MAX_PINNED_RATIO = 8;
/** Overhead of one buffer, counted so that TLS records of one byte do not cost a hundred times their size uncounted. */
const BUFFER_OVERHEAD_BYTES = 128;

/** Decoder state of one chunk stream (RTMP 1.0 5.3.1). Plain fields, for the hot path. */
export class ChunkStream {
  readonly id: number;
  /** Type 3 header of one byte; none for an id that takes more. */
  readonly shortHeader: number;
  timestampMs = 0;
  /** Added for a type 3 chunk that begins a message. */
  deltaMs = 0;
  /** The last type 0, 1 or 2 header had an extended timestamp, `extendedValue`. */
  extended = false;
  extendedValue = 0;
  length = 0;
  typeId = 0;
  messageStreamId = 0;
  /** Payload bytes of the current message that have not arrived. */
  missing = 0;
  byteOffset = 0;
  readonly payload = new SliceList();
  /** Present on a stream that has carried video. */
  partial: PartialFrame | undefined;
  /** Memory held by the unfinished message, as of the last input buffer. */
  heldBytes = 0;

  constructor(id: number) {
    this.id = id;
    this.shortHeader = id < 64 ? 0xc0 | id : -1;
  }

  drop(): void {
    this.missing = 0;
    this.heldBytes = 0;
    this.payload.clear();
    const { partial } = this;
    if (partial !== undefined && (partial.decided > 0 || partial.kind !== UNDECIDED)) partial.restart();
  }

  partialVideo(): PartialFrame {
    this.partial ??= new PartialFrame();
    return this.partial;
  }
}

/** Copies the pieces of an unfinished message that lie in `buffer`, because the buffer will be overwritten. */
export function copyUnfinished(stream: ChunkStream, buffer: Uint8Array): void {
  const { payload } = stream;
  let first = payload.count;
  while (first > 0 && payload.bufferAt(first - 1) === buffer) first--;
  if (first === payload.count) return;
  mergeFrom(payload, first);
  stream.heldBytes += payload.sizeAt(first) + BUFFER_OVERHEAD_BYTES;
  if (mergeSmallPieces(stream.payload)) stream.heldBytes = stream.payload.length + BUFFER_OVERHEAD_BYTES;
}

/** Updates `heldBytes` of a message of which only headers were retained. */
export function sealRetained(stream: ChunkStream): void {
  stream.heldBytes = (stream.partial?.kept ?? 0) + BUFFER_OVERHEAD_BYTES * (1 + stream.payload.count);
}

/**
 * Call when an input buffer is consumed while a message is unfinished; updates `heldBytes`. A message that uses little of
 * this buffer, or has many tiny pieces, is copied: otherwise a peer could pin a whole network buffer with each byte sent.
 */
export function sealUnfinished(stream: ChunkStream, buffer: Uint8Array): void {
  const payload = stream.payload;
  let first = payload.count;
  let bytes = 0;
  while (first > 0 && payload.bufferAt(first - 1) === buffer) {
    first--;
    bytes += payload.sizeAt(first);
  }
  if (bytes === 0) return;
  const pinned = buffer.buffer.byteLength;
  if (bytes * MAX_PINNED_RATIO < pinned) {
    mergeFrom(payload, first);
    stream.heldBytes += bytes + BUFFER_OVERHEAD_BYTES;
  } else {
    stream.heldBytes += pinned + BUFFER_OVERHEAD_BYTES;
  }
  if (mergeSmallPieces(payload)) stream.heldBytes = payload.length + BUFFER_OVERHEAD_BYTES;
}

/** Merges many small pieces into one, so that readers need not walk them. False: they are large enough. */
export function mergeSmallPieces(payload: SliceList): boolean {
  const pieces = payload.count;
  if (pieces <= FEW_PIECES || payload.length >= pieces * SMALL_PIECE_BYTES || payload.hasHoles) return false;
  mergeFrom(payload, 0);
  return true;
}

function mergeFrom(payload: SliceList, first: number): void {
  let size = 0;
  for (let i = first; i < payload.count; i++) size += payload.sizeAt(i);
  const merged = new Uint8Array(size);
  let at = 0;
  for (let i = first; i < payload.count; i++) {
    merged.set(payload.bufferAt(i).subarray(payload.startAt(i), payload.endAt(i)), at);
    at += payload.sizeAt(i);
  }
  payload.truncate(first);
  payload.push(merged, 0, size);
}
