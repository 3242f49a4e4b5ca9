/** Reads the pieces of a file that its judge will want, one by one, into the ring that both share. */
import { PIECE_BYTES, type PieceWriter } from './piece-ring.js';
import { TagScout } from './tag-scout.js';

/** Reads up to `size` bytes at `position` of the file into `bytes[at, at + size)`. 0: there are no more. */
export type ReadAt = (bytes: Uint8Array, at: number, size: number, position: number) => number;

export class PieceSource {
  readonly #writer: PieceWriter;
  readonly #read: ReadAt;
  readonly #scout: TagScout;
  #position: number;

  /** `position` of the back pointer before a tag. */
  constructor(writer: PieceWriter, read: ReadAt, position: number, minSkipBytes: number) {
    this.#writer = writer;
    this.#read = read;
    this.#position = position;
    this.#scout = new TagScout(position, minSkipBytes);
  }

  /** Reads the next piece, once the ring has room for it. False: there is none, or the ring was stopped. */
  step(): boolean {
    if (Number.isNaN(this.#position)) return false;
    const { bytes } = this.#writer;
    const at = this.#writer.next();
    const size = at < 0 ? 0 : this.#read(bytes, at, PIECE_BYTES, this.#position);
    if (size === 0) return false;
    this.#writer.put(this.#position, size);
    this.#position = this.#scout.next(bytes, at, size, this.#position);
    return true;
  }
}
