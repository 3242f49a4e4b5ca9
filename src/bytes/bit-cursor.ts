/**
 * Reads bits of one contiguous buffer on the packet path: reused, allocates nothing and never throws. Past the end every
 * read gives 0 and `isOver` is set, which callers check once after a group of fields.
 */
export class BitCursor {
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #bit = 0;
  /** A read went past the end: the values since then are not data. */
  isOver = false;

  /** Starts at `bytes[from]`; the data end before `bytes[to]`. */
  open(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#bit = from * 8;
    this.#end = to * 8;
    this.isOver = false;
  }

  /** Bits that are left. */
  get left(): number {
    return this.#end - this.#bit;
  }

  /** Position in bits from the start of the buffer. */
  get position(): number {
    return this.#bit;
  }

  flag(): boolean {
    return this.u(1) === 1;
  }

  /** u(n), 0 <= n <= 24. */
  u(count: number): number {
    const bit = this.#bit;
    if (bit + count > this.#end) return this.#fail();
    this.#bit = bit + count;
    return ((this.#window(bit) << (bit & 7)) >>> (32 - count)) & (2 ** count - 1);
  }

  /** The next `count` bits, at most 24, without moving. Bits past the end are not data. */
  peek(count: number): number {
    const bit = this.#bit;
    return ((this.#window(bit) << (bit & 7)) >>> (32 - count)) & (2 ** count - 1);
  }

  skip(count: number): void {
    this.#bit += count;
    if (this.#bit > this.#end) this.#fail();
  }

  /** ue(v), H.264 9.1, up to 2^24 - 2: no field that is read this way exceeds that. */
  ue(): number {
    const bit = this.#bit;
    const word = (this.#window(bit) << (bit & 7)) >>> 0;
    const zeros = Math.clz32(word);
    if (zeros > 11) return this.#longUe();
    const size = 2 * zeros + 1;
    if (bit + size > this.#end) return this.#fail();
    this.#bit = bit + size;
    return (word >>> (32 - size)) - 1;
  }

  /** se(v), H.264 9.1.1. */
  se(): number {
    const code = this.ue();
    return (code & 1) === 1 ? (code + 1) >> 1 : -(code >> 1);
  }

  /** Moves to the next byte boundary. */
  align(): void {
    this.#bit = (this.#bit + 7) & ~7;
  }

  #longUe(): number {
    let zeros = 0;
    while (!this.isOver && this.u(1) === 0) if (++zeros > 24) return this.#fail();
    return this.isOver ? 0 : 2 ** zeros - 1 + this.u(zeros);
  }

  /** The four bytes from the one that holds `bit`; at least 25 bits of them follow `bit`. */
  #window(bit: number): number {
    const bytes = this.#bytes;
    const at = bit >>> 3;
    return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  }

  #fail(): number {
    this.isOver = true;
    this.#bit = this.#end;
    return 0;
  }
}
