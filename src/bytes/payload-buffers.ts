/** More than these, when a busy hour is over, are the garbage collector's. */
const FREE_MAX = 1024;

/**
 * Buffers that payload goes through: those into which a connection reads while somebody wants whole packets, and those in
 * which a recording waits for the disk. They are used again: made anew they would outlive the young generation, and V8
 * would look through the whole heap for them several times a second.
 */
export class PayloadBuffers {
  readonly #make: () => Uint8Array;
  readonly #free: Uint8Array[] = [];
  readonly #lent = new WeakSet<Uint8Array>();

  /** `make`: a new buffer, always of the same size. */
  constructor(make: () => Uint8Array) {
    this.#make = make;
  }

  /** Who never gives it back leaves it to the garbage collector. */
  take(): Uint8Array {
    const buffer = this.#free.pop() ?? this.#make();
    this.#lent.add(buffer);
    return buffer;
  }

  /** It may be written to again at once. Buffers that are not from here, or were given away, are left alone. */
  release(buffer: Uint8Array): void {
    if (this.#lent.delete(buffer) && this.#free.length < FREE_MAX) this.#free.push(buffer);
  }

  /** Never written to again: somebody keeps it without saying for how long. */
  giveAway(buffer: Uint8Array): void {
    this.#lent.delete(buffer);
  }
}
