/**
 * The bytes of a segment that wait for the disk, in buffers that are used again. Bytes lie at the same offset of a page as in the
 * file, so that whole pages can be written past the page cache. Pure but for its pool.
 */
import { ALIGNED_BYTES, BLOCK_BYTES, type BufferPool } from './aligned-buffers.js';

export class SegmentQueue {
  readonly #pool: BufferPool;
  readonly #buffers: Uint8Array[] = [];
  /** Offset of the first waiting byte in the first buffer, and of the end in the last. */
  #from = 0;
  #to = 0;
  /** All that wait. */
  bytes = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** Waiting bytes in buffers that are full. */
  get wholeBytes(): number {
    const lastBytes = this.#buffers.length === 1 ? this.#to - this.#from : this.#to;
    return this.#to === ALIGNED_BYTES ? this.bytes : Math.max(0, this.bytes - lastBytes);
  }

  /** Copies `bytes[from, to)` to the end. */
  put(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#buffers.length === 0 || this.#to === ALIGNED_BYTES) this.#addBuffer();
      const buffer = this.#buffers[this.#buffers.length - 1] as Uint8Array;
      const size = Math.min(to - at, ALIGNED_BYTES - this.#to);
      buffer.set(at === 0 && size === bytes.length ? bytes : bytes.subarray(at, at + size), this.#to);
      at += size;
      this.#to += size;
    }
    this.bytes += to - from;
  }

  #addBuffer(): void {
    this.#buffers.push(this.#pool.take());
    this.#to = 0;
  }

  /**
   * The first `bytes` as views, for a gathering write. Bytes put from here on do not change them; `drop` returns their
   * buffers.
   */
  first(bytes: number): Uint8Array[] {
    const views: Uint8Array[] = [];
    let rest = bytes;
    let from = this.#from;
    for (let i = 0; rest > 0; i++) {
      const buffer = this.#buffers[i] as Uint8Array;
      const size = Math.min(rest, ALIGNED_BYTES - from);
      views.push(size === ALIGNED_BYTES ? buffer : buffer.subarray(from, from + size));
      rest -= size;
      from = 0;
    }
    return views;
  }

  /** Removes the first `bytes`: they are written. */
  drop(bytes: number): void {
    this.bytes -= bytes;
    this.#from += bytes;
    while (this.#from >= ALIGNED_BYTES) {
      this.#pool.release(this.#buffers.shift() as Uint8Array);
      this.#from -= ALIGNED_BYTES;
    }
    if (this.bytes === 0) this.clear();
    else if (this.#buffers.length === 1) this.#moveToStart();
  }

  /** After a write a few KB are left in the middle of a buffer: moved, they leave it all for the next bytes, and no other is taken. */
  #moveToStart(): void {
    const start = this.#from % BLOCK_BYTES;
    const moved = this.#from - start;
    if (moved === 0) return;
    this.#buffers[0]?.copyWithin(start, this.#from, this.#to);
    this.#from = start;
    this.#to -= moved;
  }

  /** Removes everything. */
  clear(): void {
    for (const buffer of this.#buffers) this.#pool.release(buffer);
    this.#buffers.length = 0;
    this.#from = 0;
    this.#to = 0;
    this.bytes = 0;
  }
}
