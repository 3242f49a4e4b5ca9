/** A table of an MP4 index, read as far as it is needed: the tables of a long recording have megabytes. */
import type { SourceReader } from '../source/source-reader.js';

/** Rows that are read at once. */
const WINDOW_ROWS = 4096;

/** Reads the rows one after the other. `row` is synchronous while `isLoaded`. */
export class Table {
  readonly rows: number;
  readonly #file: SourceReader;
  readonly #from: number;
  readonly #rowBytes: number;
  #window: DataView = new DataView(new ArrayBuffer(0));
  #windowAt = 0;
  #next = 0;

  /** `claimed` rows from `from`, as far as they lie before `to`. */
  constructor(file: SourceReader, from: number, to: number, rowBytes: number, claimed: number) {
    this.#file = file;
    this.#from = from;
    this.#rowBytes = rowBytes;
    this.rows = Math.max(0, Math.min(claimed, Math.floor((Math.min(to, file.size) - from) / rowBytes)));
  }

  get isAtEnd(): boolean {
    return this.#next >= this.rows;
  }

  get isLoaded(): boolean {
    return (this.#next - this.#windowAt + 1) * this.#rowBytes <= this.#window.byteLength;
  }

  async load(): Promise<void> {
    const count = Math.min(WINDOW_ROWS, this.rows - this.#next);
    const bytes = await this.#file.bytes(this.#from + this.#next * this.#rowBytes, count * this.#rowBytes);
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#windowAt = this.#next;
  }

  /** Position of the next row in the loaded bytes; moves on. Call only while `isLoaded`. */
  row(): number {
    return (this.#next++ - this.#windowAt) * this.#rowBytes;
  }

  u8(at: number): number {
    return this.#window.getUint8(at);
  }

  u16(at: number): number {
    return this.#window.getUint16(at);
  }

  u32(at: number): number {
    return this.#window.getUint32(at);
  }

  i32(at: number): number {
    return this.#window.getInt32(at);
  }

  u64(at: number): number {
    return this.#window.getUint32(at) * 0x1_0000_0000 + this.#window.getUint32(at + 4);
  }
}
