const UTF8 = new TextEncoder();
const SMALLEST = 64;

/** Writes big-endian fields into a growing buffer. Numbers are truncated to their width, as DataView does. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(Math.max(SMALLEST, capacity));
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  #room(count: number): number {
    const at = this.#length;
    const wanted = at + count;
    if (wanted > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(wanted, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#length = wanted;
    return at;
  }

  u8(value: number): this {
    const at = this.#room(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#room(2);
    this.#view.setUint16(at, value);
    return this;
  }

  u24(value: number): this {
    const at = this.#room(3);
    this.#view.setUint8(at, value >>> 16);
    this.#view.setUint16(at + 1, value & 0xffff);
    return this;
  }

  u32(value: number): this {
    const at = this.#room(4);
    this.#view.setUint32(at, value);
    return this;
  }

  u32le(value: number): this {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  f64(value: number): this {
    const at = this.#room(8);
    this.#view.setFloat64(at, value);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#room(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** The text as UTF-8, without a length prefix. */
  utf8(text: string): this {
    return this.bytes(UTF8.encode(text));
  }

  /** The bytes written so far, as a view. Further writes may reallocate the buffer and leave the view stale. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes written so far. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Rewinds to 0 and keeps the buffer. */
  reset(): void {
    this.#length = 0;
  }
}
