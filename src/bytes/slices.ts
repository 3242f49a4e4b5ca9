/** A longer list of further pieces is given up when the message is dropped. */
const FEW_PIECES = 16;
/** Placeholder for bytes that are never read. */
const HOLE = new Uint8Array(0);
/** Places of a further piece in the list of them: buffer, start, end. */
const FIELDS = 3;

/**
 * A message body as a list of slices of the network buffers that carried it, so that parsing a packet copies nothing and makes no
 * object. The first piece, of most messages the only one, is in fields: the lists of many connections are not in the processor's
 * cache, and each array is two objects more to be read from memory.
 */
export class SliceList {
  /** Total bytes of all pieces. */
  length = 0;
  #count = 0;
  #buffer: Uint8Array = HOLE;
  #start = 0;
  #end = 0;
  /** Buffer, start and end of each further piece, one after the other; more may be allocated than are in use. */
  #rest: (Uint8Array | number)[] = [];

  /** Number of pieces. */
  get count(): number {
    return this.#count;
  }

  /** The buffer of piece `i`, which must exist: its bytes are `[startAt(i), endAt(i))` of it. */
  bufferAt(i: number): Uint8Array {
    return i === 0 ? this.#buffer : (this.#rest[(i - 1) * FIELDS] as Uint8Array);
  }

  startAt(i: number): number {
    return i === 0 ? this.#start : (this.#rest[(i - 1) * FIELDS + 1] as number);
  }

  endAt(i: number): number {
    return i === 0 ? this.#end : (this.#rest[(i - 1) * FIELDS + 2] as number);
  }

  sizeAt(i: number): number {
    return this.endAt(i) - this.startAt(i);
  }

  /** Appends `buffer[start, end)`. The buffer must not change while it is referenced here. */
  push(buffer: Uint8Array, start: number, end: number): void {
    const i = this.#count++;
    this.length += end - start;
    if (i === 0) {
      this.#buffer = buffer;
      this.#start = start;
      this.#end = end;
      return;
    }
    const at = (i - 1) * FIELDS;
    this.#rest[at] = buffer;
    this.#rest[at + 1] = start;
    this.#rest[at + 2] = end;
  }

  /** Pushes a piece; one that continues the last piece is added to it, because readers and copies pay for each piece. */
  append(buffer: Uint8Array, start: number, end: number): void {
    const last = this.#count - 1;
    if (last >= 0 && this.endAt(last) === start && this.bufferAt(last) === buffer) this.#extend(last, end - start);
    else this.push(buffer, start, end);
  }

  /** Appends `size` bytes that were not kept because no reader of this message needs them. They read as 0. */
  pushHole(size: number): void {
    const last = this.#count - 1;
    if (last >= 0 && this.bufferAt(last) === HOLE) this.#extend(last, size);
    else this.push(HOLE, 0, size);
  }

  #extend(i: number, size: number): void {
    const end = this.endAt(i) + size;
    if (i === 0) this.#end = end;
    else this.#rest[(i - 1) * FIELDS + 2] = end;
    this.length += size;
  }

  /** Some bytes were not kept: the list is valid only for the readers it was retained for. */
  get hasHoles(): boolean {
    return this.refersTo(HOLE);
  }

  /** A piece is in this buffer. */
  refersTo(buffer: Uint8Array): boolean {
    for (let i = 0; i < this.#count; i++) if (this.bufferAt(i) === buffer) return true;
    return false;
  }

  /** Removes the last pieces until `count` are left. */
  truncate(count: number): void {
    while (this.#count > count) {
      const last = --this.#count;
      this.length -= this.sizeAt(last);
      if (last === 0) this.#buffer = HOLE;
      else this.#rest[(last - 1) * FIELDS] = HOLE;
    }
  }

  /** Drops all pieces, so that the network buffers can be freed. */
  clear(): void {
    if (this.#count > 1) this.truncate(1);
    if (this.#rest.length > FEW_PIECES * FIELDS) this.#rest = [];
    this.#buffer = HOLE;
    this.#start = 0;
    this.#end = 0;
    this.#count = 0;
    this.length = 0;
  }

  /** The byte at `offset`, or -1 past the end. */
  byteAt(offset: number): number {
    let rest = offset;
    for (let i = 0; i < this.#count; i++) {
      const size = this.sizeAt(i);
      if (rest < size) return this.bufferAt(i)[this.startAt(i) + rest] ?? 0;
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
    for (let i = firstPiece; i < this.#count && position < to; i++) {
      const start = this.startAt(i);
      const pieceSize = this.endAt(i) - start;
      const first = Math.max(0, from - position);
      const last = Math.min(pieceSize, to - position);
      if (first < last) {
        target.set(this.bufferAt(i).subarray(start + first, start + last), out);
        out += last - first;
      }
      position += pieceSize;
    }
  }

  /** The pieces as views, for a gathering write (`writev`). Allocates one view per piece. */
  views(): Uint8Array[] {
    return Array.from({ length: this.#count }, (_, i) => this.bufferAt(i).subarray(this.startAt(i), this.endAt(i)));
  }

  static of(...parts: Uint8Array[]): SliceList {
    const list = new SliceList();
    for (const part of parts) list.push(part, 0, part.length);
    return list;
  }
}
