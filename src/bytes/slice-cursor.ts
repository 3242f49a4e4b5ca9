/** Reads forward over the pieces of a message without copying. One cursor is reused for all messages of a connection. */
import { SliceList } from './slices.js';

const NOTHING = new SliceList();

export class SliceCursor {
  #list: SliceList = NOTHING;
  #piece = 0;
  /** Message offsets of the current piece's first byte and of the byte after its last. */
  #from = 0;
  #to = 0;
  #at = 0;

  /** Message offset of the next byte. */
  get position(): number {
    return this.#at;
  }

  /** Starts at the first byte of a message. */
  open(list: SliceList): void {
    this.#list = list;
    this.#piece = 0;
    this.#from = 0;
    this.#to = list.count > 0 ? list.sizeAt(0) : 0;
    this.#at = 0;
  }

  /** Starts at piece `piece`, whose first byte has message offset `offset`. */
  openAt(list: SliceList, piece: number, offset: number): void {
    this.#list = list;
    this.#piece = piece;
    this.#from = offset;
    this.#to = piece < list.count ? offset + list.sizeAt(piece) : offset;
    this.#at = offset;
  }

  /** Releases the message, so that its network buffers can be freed. */
  close(): void {
    this.open(NOTHING);
  }

  /** Moves to an offset in the message. Cheap forward; a backward seek restarts from the first piece. */
  seek(offset: number): void {
    if (offset < this.#from) this.open(this.#list);
    this.#at = offset;
  }

  /** The next byte, or -1 past the end. */
  u8(): number {
    while (this.#at >= this.#to) {
      if (!this.#nextPiece()) return -1;
    }
    const start = this.#list.startAt(this.#piece);
    const byte = this.#list.bufferAt(this.#piece)[start + this.#at - this.#from] ?? 0;
    this.#at++;
    return byte;
  }

  /** The next `count` bytes (1 to 4) as an unsigned number, or -1 when the message is too short. */
  uint(count: number): number {
    const at = this.#at;
    let value = 0;
    if (at + count <= this.#to) {
      // Common case: all in one piece.
      const bytes = this.#list.bufferAt(this.#piece);
      const start = this.#list.startAt(this.#piece) + at - this.#from;
      for (let i = start; i < start + count; i++) value = value * 256 + (bytes[i] ?? 0);
      this.#at = at + count;
      return value;
    }
    for (let i = 0; i < count; i++) {
      const byte = this.u8();
      if (byte < 0) return -1;
      value = value * 256 + byte;
    }
    return value;
  }

  /** True when the next bytes equal `expected`; the position is then after them, otherwise unspecified. */
  matches(expected: Uint8Array): boolean {
    for (let i = 0; i < expected.length; i++) {
      if (this.u8() !== expected[i]) return false;
    }
    return true;
  }

  #nextPiece(): boolean {
    const next = this.#piece + 1;
    if (next >= this.#list.count) return false;
    this.#piece = next;
    this.#from = this.#to;
    this.#to += this.#list.sizeAt(next);
    return true;
  }
}
