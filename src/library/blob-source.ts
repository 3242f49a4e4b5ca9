/** A `Blob` or `File` as a source of bytes. */
import type { ByteSource } from '../bytes/byte-source.js';

/** A `Blob` or `File`. */
export interface BlobLike {
  /** Bytes. */
  readonly size: number;
  /** Name of a `File`, without its folder. */
  readonly name?: string;
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): { stream(): { getReader(): BlobReader }; arrayBuffer(): Promise<ArrayBuffer> };
}

interface BlobReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Reading on over this much takes less time than a new stream, which a browser opens in milliseconds. */
const NEAR_BYTES = 4 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

/**
 * Reads on as a stream, which a browser fills ahead in pieces of up to 2 MB: a read of its own costs milliseconds there, whatever
 * its size. Another place opens another stream.
 */
export class BlobSource implements ByteSource {
  readonly size: number;
  readonly #blob: BlobLike;
  #stream: BlobReader | undefined;
  /** The piece that is held, and where it begins. */
  #piece: Uint8Array = NOTHING;
  #at = 0;

  constructor(blob: BlobLike) {
    this.#blob = blob;
    this.size = blob.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size);
    if (offset >= end) return NOTHING;
    if (offset < this.#at || offset > this.#end + NEAR_BYTES) await this.#open(offset);
    while (this.#end <= offset) if (!(await this.#next())) return NOTHING;
    if (end <= this.#end) return this.#piece.subarray(offset - this.#at, end - this.#at);
    return this.#joined(offset, end);
  }

  async #joined(offset: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - offset);
    let filled = 0;
    do {
      const part = this.#piece.subarray(offset + filled - this.#at, end - this.#at);
      bytes.set(part, filled);
      filled += part.length;
    } while (filled < bytes.length && (await this.#next()));
    return bytes.subarray(0, filled);
  }

  get #end(): number {
    return this.#at + this.#piece.length;
  }

  async #open(offset: number): Promise<void> {
    await this.#stream?.cancel();
    this.#stream = undefined;
    this.#piece = NOTHING;
    this.#at = offset;
  }

  /** False at the end. */
  async #next(): Promise<boolean> {
    this.#at = this.#end;
    this.#piece = NOTHING;
    if (this.#stream === undefined) {
      await this.#check();
      this.#stream = this.#blob.slice(this.#at, this.size).stream().getReader();
    }
    const { done, value } = await this.#stream.read();
    if (!done && value !== undefined) this.#piece = value;
    if (done && this.#at < this.size) await this.#check();
    return !done;
  }

  /** The stream of a file that was changed has other bytes, or just ends: a read of its own throws. */
  async #check(): Promise<void> {
    await this.#blob.slice(this.#at, this.#at + 1).arrayBuffer();
  }
}
