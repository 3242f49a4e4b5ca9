/** V8 shrinks larger arrays when they are popped. */
const FEW_PIECES = 16;
/** Placeholder for bytes that are never read. */
const HOLE = new Uint8Array(0);

/**
 * A message body as a list of slices of the network buffers that carried it, so that parsing a packet copies nothing.
 * Slices are stored as (buffer, start, end) in flat arrays: no object per packet.
 */
export class SliceList {
  readonly buffers: Uint8Array[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Total bytes of all pieces. */
  length = 0;

  get count(): number {
    return this.buffers.length;
  }

  /** Appends `buffer[start, end)`. The buffer must not change while it is referenced here. */
  push(buffer: Uint8Array, start: number, end: number): void {
    this.buffers.push(buffer);
    this.starts.push(start);
    this.ends.push(end);
    this.length += end - start;
  }

  /** As `push`; a piece that continues the last one is added to it, because readers and copies pay for each piece. */
  append(buffer: Uint8Array, start: number, end: number): void {
    const last = this.buffers.length - 1;
    if (last >= 0 && this.ends[last] === start && this.buffers[last] === buffer) {
      this.ends[last] = end;
      this.length += end - start;
    } else {
      this.push(buffer, start, end);
    }
  }

  /** Appends `size` bytes that were not kept because no reader of this message needs them. They read as 0. */
  pushHole(size: number): void {
    const last = this.buffers.length - 1;
    if (last < 0 || this.buffers[last] !== HOLE) {
      this.push(HOLE, 0, size);
    } else {
      this.ends[last] = (this.ends[last] as number) + size;
      this.length += size;
    }
  }

  /** Some bytes were not kept: the list is valid only for the readers it was retained for. */
  get hasHoles(): boolean {
    return this.buffers.includes(HOLE);
  }

  /** Removes the last pieces until `count` are left. */
  truncate(count: number): void {
    while (this.buffers.length > count) {
      this.buffers.pop();
      this.length -= (this.ends.pop() ?? 0) - (this.starts.pop() ?? 0);
    }
  }

  /** Drops all pieces, so that the network buffers can be freed. */
  clear(): void {
    if (this.length === 0 && this.buffers.length === 0) return;
    const { buffers, starts, ends } = this;
    if (buffers.length > FEW_PIECES) {
      buffers.length = 0;
      starts.length = 0;
      ends.length = 0;
    } else {
      // Popping keeps the capacity of small arrays for the next packet; `length = 0` would free it.
      for (let i = buffers.length; i > 0; i--) {
        buffers.pop();
        starts.pop();
        ends.pop();
      }
    }
    this.length = 0;
  }

  /** The byte at `offset`, or -1 past the end. */
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

  /** A copy of `[from, to)`, clipped to the length. For headers and parameter sets, not for payload. */
  copy(from: number, to: number): Uint8Array {
    const end = Math.min(to, this.length);
    const out = new Uint8Array(Math.max(0, end - from));
    this.copyInto(out, 0, from, end);
    return out;
  }

  /**
   * Copies `[from, to)`, which must exist, to `target` at `at`. A caller that knows the offset `firstPosition` of piece
   * `firstPiece`, at or before `from`, saves the walk from the start.
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

  /** The pieces as views, for a gathering write (`writev`). Allocates one view per piece. */
  views(): Uint8Array[] {
    return this.buffers.map((buffer, i) => buffer.subarray(this.starts[i] as number, this.ends[i] as number));
  }

  static of(...parts: Uint8Array[]): SliceList {
    const list = new SliceList();
    for (const part of parts) list.push(part, 0, part.length);
    return list;
  }
}
