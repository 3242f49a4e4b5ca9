/** Longer than four bytes, so that a window read at the last bit stays inside. */
const PADDING_BYTES = 8;
/** From this size on, `set` copies faster than a loop, in spite of the view that it takes. */
const MIN_SET_BYTES = 128;

/**
 * Reads bits on the packet path: reused, never throws, and allocates nothing but a view for a large copy. It reads from a copy
 * of the bytes, because four bytes of a view of its own are one load. Past the end every read gives 0 and `isOver` is set,
 * which callers check once after a group of fields.
 */
export class BitCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxBytes: number;
  #end = 0;
  #bit = 0;
  /** A read went past the end: the values since then are not data. */
  isOver = false;

  /** `maxBytes`: the most that are read after one `open`; bytes after them count as past the end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytes = new Uint8Array(maxBytes + PADDING_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Starts at `from[at]`; the data end before `from[to]`. */
  open(from: Uint8Array, at: number, to: number): void {
    const bytes = this.#bytes;
    const size = Math.max(0, Math.min(to - at, this.#maxBytes));
    if (size >= MIN_SET_BYTES) bytes.set(from.subarray(at, at + size));
    else for (let i = 0; i < size; i++) bytes[i] = from[at + i] as number;
    for (let i = size; i < size + PADDING_BYTES; i++) bytes[i] = 0;
    this.#bit = 0;
    this.#end = size * 8;
    this.isOver = false;
  }

  /** Bits that are left. */
  get left(): number {
    return this.#end - this.#bit;
  }

  /** Position in bits from the first byte. */
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
    // A shift by 32 would shift by 0.
    return count === 0 ? 0 : (this.#window(bit) << (bit & 7)) >>> (32 - count);
  }

  /** The next `count` bits, 1 to 24, without moving. Bits past the end are 0. */
  peek(count: number): number {
    return this.peekAt(this.#bit, count);
  }

  /** Peeks from `bit` on, up to 24 bits past the end. */
  peekAt(bit: number, count: number): number {
    return (this.#window(bit) << (bit & 7)) >>> (32 - count);
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
    return this.#view.getInt32(bit >>> 3);
  }

  #fail(): number {
    this.isOver = true;
    this.#bit = this.#end;
    return 0;
  }
}
