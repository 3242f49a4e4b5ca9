import { WireError } from './wire-error.js';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads big-endian fields from one contiguous buffer. Reading past the end throws a WireError with the clause given to the
 * constructor, and consumes nothing. Views share memory with the input.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #clause: string;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, clause: string, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#clause = clause;
    this.#end = Math.min(to, bytes.length);
    this.#at = from;
  }

  /** Position of the next byte, counted from the start of the buffer. */
  get offset(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  /** Consumes `count` bytes and returns the offset of the first. */
  #take(count: number): number {
    const at = this.#at;
    if (count < 0 || count > this.#end - at) {
      throw new WireError(
        'WIRE_TRUNCATED',
        `${count} bytes requested, ${this.#end - at} left at offset ${at}`,
        this.#clause,
        at,
      );
    }
    this.#at = at + count;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  /** The next byte without moving, or -1 at the end. */
  peekU8(): number {
    return this.#at < this.#end ? this.#view.getUint8(this.#at) : -1;
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2));
  }

  u24(): number {
    const at = this.#take(3);
    return this.#view.getUint8(at) * 0x10000 + this.#view.getUint16(at + 1);
  }

  i24(): number {
    const value = this.u24();
    return value >= 0x800000 ? value - 0x1000000 : value;
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  u16le(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32le(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** 64-bit unsigned. Values above 2^53 - 1 lose precision. */
  u64(): number {
    const at = this.#take(8);
    return this.#view.getUint32(at) * 0x1_0000_0000 + this.#view.getUint32(at + 4);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8));
  }

  /** A view of the next `count` bytes, not a copy. */
  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  skip(count: number): void {
    this.#take(count);
  }

  /** `count` bytes as UTF-8; invalid sequences become U+FFFD. */
  utf8(count: number): string {
    return UTF8.decode(this.bytes(count));
  }

  /** `count` bytes, one character per byte: FourCC, box types. */
  latin1(count: number): string {
    const at = this.#take(count);
    let text = '';
    for (let i = at; i < at + count; i++) text += String.fromCharCode(this.#view.getUint8(i));
    return text;
  }
}
