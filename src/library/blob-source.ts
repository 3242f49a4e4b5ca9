/** A `Blob` or `File` as a source of bytes. */
import type { ByteSource } from '../bytes/byte-source.js';

/** A `Blob` or `File`. */
export interface BlobLike {
  /** Bytes. */
  readonly size: number;
  /** Name of a `File`, without its folder. */
  readonly name?: string;
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): BlobPart;
}

interface BlobPart {
  stream(): { getReader(options: { mode: 'byob' }): BlobReader };
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface BlobReader {
  read(into: Uint8Array): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** Pieces on the way while one is used: four streams of Chromium read three times as fast together as one, more are no faster. */
const PIECES_AHEAD = 4;
/** A read of its own costs a browser about a millisecond, whatever its size. Five pieces are held. */
const LARGEST_PIECE_BYTES = 16 * 1024 * 1024;
/** At a new place little is read until the next read goes on there, for an index is read here and there. */
const FIRST_PIECE_BYTES = 128 * 1024;
const NOTHING = new Uint8Array(0);
/**
 * Readers of which a read is pending. Chromium collects a stream that no other object holds even then, together with all that waits
 * for it, and the read never ends.
 */
const READING = new Set<BlobReader>();

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly bytes: Promise<Uint8Array>;
}

/**
 * Reads ahead in large pieces, several at a time, into buffers that are used again: a browser neither makes nor clears memory for
 * them. What is asked for is a copy of their bytes.
 */
export class BlobSource implements ByteSource {
  readonly size: number;
  readonly #blob: BlobLike;
  /** The piece in use, and where it begins. */
  #piece: Uint8Array = NOTHING;
  #from = 0;
  /** The pieces after it, without gaps. */
  #ahead: Piece[] = [];
  /** Where the next piece begins, its size, and whether reading went on from the last piece. */
  #next = 0;
  #pieceBytes = FIRST_PIECE_BYTES;
  #isReadingOn = false;
  readonly #free: ArrayBufferLike[] = [];

  constructor(blob: BlobLike) {
    this.#blob = blob;
    this.size = blob.size;
  }

  async read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size);
    if (offset >= end) return NOTHING;
    if (offset < this.#from || offset > this.#next) this.#startAt(offset, length);
    while (this.#end <= offset) if (!(await this.#advance())) return NOTHING;
    const size = end - offset;
    const bytes = into === undefined ? new Uint8Array(size) : into.subarray(0, size);
    if (end > this.#end) return this.#joined(bytes, offset, end);
    bytes.set(this.#piece.subarray(offset - this.#from, end - this.#from));
    return bytes;
  }

  async #joined(bytes: Uint8Array, offset: number, end: number): Promise<Uint8Array> {
    let filled = 0;
    do {
      const part = this.#piece.subarray(offset + filled - this.#from, end - this.#from);
      bytes.set(part, filled);
      filled += part.length;
    } while (filled < bytes.length && (await this.#advance()));
    return bytes.subarray(0, filled);
  }

  get #end(): number {
    return this.#from + this.#piece.length;
  }

  #startAt(offset: number, length: number): void {
    this.#release();
    this.#ahead = [];
    this.#from = offset;
    this.#next = offset;
    this.#pieceBytes = Math.min(Math.max(length, FIRST_PIECE_BYTES), LARGEST_PIECE_BYTES);
    this.#isReadingOn = false;
  }

  /** Makes the next piece the one in use. False at the end. */
  async #advance(): Promise<boolean> {
    this.#from = this.#end;
    this.#release();
    const wanted = this.#isReadingOn ? PIECES_AHEAD : 1;
    while (this.#ahead.length < wanted && this.#next < this.size) this.#request();
    this.#isReadingOn = true;
    const piece = this.#ahead.shift();
    if (piece === undefined) return false;
    this.#piece = await piece.bytes;
    // The file became shorter.
    if (this.#end < piece.to) {
      this.#ahead = [];
      this.#next = this.size;
    }
    return this.#piece.length > 0;
  }

  #release(): void {
    const { buffer } = this.#piece;
    if (buffer.byteLength === LARGEST_PIECE_BYTES && this.#free.length <= PIECES_AHEAD) this.#free.push(buffer);
    this.#piece = NOTHING;
  }

  #request(): void {
    const from = this.#next;
    const to = Math.min(from + this.#pieceBytes, this.size);
    const bytes = this.#load(from, to);
    // It may fail before, or without, anyone waiting for it.
    bytes.catch(() => undefined);
    this.#ahead.push({ from, to, bytes });
    this.#next = to;
    this.#pieceBytes = Math.min(2 * this.#pieceBytes, LARGEST_PIECE_BYTES);
  }

  /** The stream of a file that was changed has other bytes, or just ends: a read without a stream throws. */
  async #load(from: number, to: number): Promise<Uint8Array> {
    const [bytes] = await Promise.all([
      this.#streamed(this.#blob.slice(from, to), to - from),
      this.#blob.slice(from, from + 1).arrayBuffer(),
    ]);
    return bytes;
  }

  async #streamed(part: BlobPart, size: number): Promise<Uint8Array> {
    const reader = readerOf(part);
    if (reader === undefined) return new Uint8Array(await part.arrayBuffer());
    const isLarge = 2 * size > LARGEST_PIECE_BYTES;
    let buffer = (isLarge ? this.#free.pop() : undefined) ?? new ArrayBuffer(isLarge ? LARGEST_PIECE_BYTES : size);
    let filled = 0;
    READING.add(reader);
    try {
      while (filled < size) {
        const { done, value } = await reader.read(new Uint8Array(buffer, filled, size - filled));
        if (value !== undefined) buffer = value.buffer;
        if (done || value === undefined) break;
        filled += value.length;
      }
    } finally {
      READING.delete(reader);
    }
    return new Uint8Array(buffer, 0, filled);
  }
}

/** Undefined: an older browser, whose blobs cannot be read into buffers of the reader. */
function readerOf(part: BlobPart): BlobReader | undefined {
  try {
    return part.stream().getReader({ mode: 'byob' });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
