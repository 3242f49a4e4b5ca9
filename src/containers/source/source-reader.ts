/** Reads of a file in blocks, the last of which are kept. Memory is constant, whatever the file says. */
import type { ByteSource, StopSignal } from '../../bytes/byte-source.js';
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { BLOCK_BYTES, BLOCKS_KEPT } from './limits.js';

/** Large enough for the headers of any box, element or packet. */
const SMALL_READ_BYTES = 4096;

export class SourceReader {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #signal: StopSignal | undefined;
  /** By their number, the least recently used first. */
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(source: ByteSource, signal?: StopSignal) {
    this.size = source.size;
    this.#source = source;
    this.#signal = signal;
  }

  /** A view of `[at, at + length)` if one kept block holds it. */
  peek(at: number, length: number): Uint8Array | undefined {
    const number = Math.floor(at / BLOCK_BYTES);
    const block = this.#blocks.get(number);
    const from = at - number * BLOCK_BYTES;
    return block !== undefined && from + length <= block.length ? block.subarray(from, from + length) : undefined;
  }

  /** Up to `length` bytes from `at`, at most a block: fewer only at the end of the file. */
  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (at < 0 || at >= this.size) return new Uint8Array(0);
    const wanted = Math.min(length, this.size - at);
    const first = Math.floor(at / BLOCK_BYTES);
    const last = Math.floor((at + wanted - 1) / BLOCK_BYTES);
    if (first === last) {
      const block = await this.#block(first);
      return block.subarray(at - first * BLOCK_BYTES, at - first * BLOCK_BYTES + wanted);
    }
    const out = new Uint8Array(wanted);
    for (let number = first; number <= last; number++) {
      const block = await this.#block(number);
      const start = number * BLOCK_BYTES;
      const part = block.subarray(Math.max(0, at - start), Math.min(block.length, at + wanted - start));
      out.set(part, Math.max(0, start - at));
    }
    return out;
  }

  /** Up to `SMALL_READ_BYTES` from `at` without keeping a block, to walk over what is not read. */
  async head(at: number, length: number): Promise<Uint8Array> {
    if (at < 0 || at >= this.size) return new Uint8Array(0);
    const wanted = Math.min(length, SMALL_READ_BYTES, this.size - at);
    return this.peek(at, wanted) ?? (await this.#read(at, wanted));
  }

  /** Appends `[at, at + length)` to `list` if all of it is kept. */
  append(list: SliceList, at: number, length: number): boolean {
    const first = Math.floor(at / BLOCK_BYTES);
    const last = Math.floor((at + Math.max(1, length) - 1) / BLOCK_BYTES);
    for (let number = first; number <= last; number++) if (!this.#blocks.has(number)) return false;
    for (let number = first; number <= last; number++) {
      const block = this.#blocks.get(number) as Uint8Array;
      const start = number * BLOCK_BYTES;
      list.append(block, Math.max(0, at - start), Math.min(block.length, at + length - start));
    }
    return true;
  }

  /** Appends `[at, at + length)`, which must lie within the file, to `list`. */
  async load(list: SliceList, at: number, length: number): Promise<void> {
    for (let from = at; from < at + length; ) {
      const number = Math.floor(from / BLOCK_BYTES);
      const block = await this.#block(number);
      const start = number * BLOCK_BYTES;
      const to = Math.min(start + block.length, at + length);
      if (to <= from) throw new WireError('CONTAINER_SHRUNK', 'the file became shorter while it was read', '', from);
      list.append(block, from - start, to - start);
      from = to;
    }
  }

  async #block(number: number): Promise<Uint8Array> {
    const kept = this.#blocks.get(number);
    if (kept !== undefined) {
      this.#blocks.delete(number);
      this.#blocks.set(number, kept);
      return kept;
    }
    const at = number * BLOCK_BYTES;
    const block = await this.#read(at, Math.min(BLOCK_BYTES, this.size - at));
    if (this.#blocks.size >= BLOCKS_KEPT) {
      for (const oldest of this.#blocks.keys()) {
        this.#blocks.delete(oldest);
        break;
      }
    }
    this.#blocks.set(number, block);
    return block;
  }

  async #read(at: number, length: number): Promise<Uint8Array> {
    if (this.#signal?.aborted === true) throw this.#signal.reason;
    return this.#source.read(at, length);
  }
}
