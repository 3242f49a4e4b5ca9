/**
 * Collects bytes into one buffer that doubles as it grows. A list of chunks costs an object per chunk: a body sent one
 * byte at a time would occupy a hundred times its length.
 */
export class ByteCollector {
  readonly #maxBytes: number;
  readonly #reserve: (bytes: number) => void;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** `reserve` is called before memory is allocated; it throws to refuse. */
  constructor(maxBytes: number, reserve: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
  }

  /** Returns false and discards the chunk if it exceeds the maximum. */
  push(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(needed, this.#buffer.length * 2));
    this.#reserve(capacity - this.#buffer.length);
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}
