/** V8 shrinks larger arrays by itself when they are popped. */
const FEW_PIECES = 16;
/** Stands for bytes that nobody will look at. */
const HOLE = new Uint8Array(0);

/**
 * A message body as the pieces of the network buffers that carried it, so that looking at a packet copies nothing.
 * Pieces are kept as (buffer, start, end) in flat arrays: one packet makes no object of its own.
 */
export class SliceList {
  readonly buffers: Uint8Array[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Bytes in all pieces together. */
  length = 0;

  get count(): number {
    return this.buffers.length;
  }

  /** Appends `buffer[start, end)`. The buffer must not change while it is held here. */
  push(buffer: Uint8Array, start: number, end: number): void {
    this.buffers.push(buffer);
    this.starts.push(start);
    this.ends.push(end);
    this.length += end - start;
  }

  /** Appends `size` bytes that were not kept because no reader of this message looks at them: they read as 0. */
  pushHole(size: number): void {
    const last = this.buffers.length - 1;
    if (last < 0 || this.buffers[last] !== HOLE) {
      this.push(HOLE, 0, size);
    } else {
      this.ends[last] = (this.ends[last] as number) + size;
      this.length += size;
    }
  }

  /** Not all bytes are here: good for those readers only for whom the rest was kept. */
  get hasHoles(): boolean {
    return this.buffers.includes(HOLE);
  }

  /** Takes the last pieces away, down to `count` of them. */
  truncate(count: number): void {
    while (this.buffers.length > count) {
      this.buffers.pop();
      this.length -= (this.ends.pop() ?? 0) - (this.starts.pop() ?? 0);
    }
  }

  /** Forgets all pieces, so that the network buffers can be freed. */
  clear(): void {
    if (this.length === 0 && this.buffers.length === 0) return;
    const { buffers, starts, ends } = this;
    if (buffers.length > FEW_PIECES) {
      buffers.length = 0;
      starts.length = 0;
      ends.length = 0;
    } else {
      // Taking small arrays down piece by piece keeps their memory for the next packet; `length = 0` gives it back.
      for (let i = buffers.length; i > 0; i--) {
        buffers.pop();
        starts.pop();
        ends.pop();
      }
    }
    this.length = 0;
  }

  /** The byte at `offset`, or -1 past the end: the caller decides what a short body means. */
  byteAt(offset: number): number {
    let rest = offset;
    for (let i = 0; i < this.buffers.length; i++) {
      const start = this.starts[i] as number;
      const size = (this.ends[i] as number) - start;
      if (rest < size) return (this.buffers[i] as Uint8Array)[start + rest] ?? 0;
      rest -= size;
    }
    return -1;
  }

  /** A copy of `[from, to)`, clipped to what is there. For headers and parameter sets, not for payload. */
  copy(from: number, to: number): Uint8Array {
    const end = Math.min(to, this.length);
    const out = new Uint8Array(Math.max(0, end - from));
    this.copyInto(out, 0, from, end);
    return out;
  }

  /**
   * Writes `[from, to)`, which must be there, to `target` from `at` on. Who knows that piece `firstPiece` begins at offset
   * `firstPosition`, not behind `from`, saves the way there.
   */
  copyInto(target: Uint8Array, at: number, from: number, to: number, firstPiece = 0, firstPosition = 0): void {
    let position = firstPosition;
    let out = at;
    for (let i = firstPiece; i < this.buffers.length && position < to; i++) {
      const start = this.starts[i] as number;
      const pieceSize = (this.ends[i] as number) - start;
      const first = Math.max(0, from - position);
      const last = Math.min(pieceSize, to - position);
      if (first < last) {
        target.set((this.buffers[i] as Uint8Array).subarray(start + first, start + last), out);
        out += last - first;
      }
      position += pieceSize;
    }
  }

  /** The pieces as views, for a writer that can gather (`writev`). Allocates one view a piece. */
  views(): Uint8Array[] {
    return this.buffers.map((buffer, i) => buffer.subarray(this.starts[i] as number, this.ends[i] as number));
  }

  static of(...parts: Uint8Array[]): SliceList {
    const list = new SliceList();
    for (const part of parts) list.push(part, 0, part.length);
    return list;
  }
}
