/** Free buffers above this count, after a load peak, are left to the garbage collector. */
const FREE_MAX = 1024;

/**
 * Pool of the buffers that a connection reads into while a tap needs whole packets. They are reused because new ones would
 * outlive the young generation, and V8 would mark the whole heap several times a second.
 */
export class PayloadBuffers {
  readonly #make: () => Uint8Array;
  readonly #free: Uint8Array[] = [];
  readonly #lent = new WeakSet<Uint8Array>();

  /** `make` returns a new buffer, always of the same size. */
  constructor(make: () => Uint8Array) {
    this.#make = make;
  }

  /** A buffer that is never released is garbage-collected. */
  take(): Uint8Array {
    const buffer = this.#free.pop() ?? this.#make();
    this.#lent.add(buffer);
    return buffer;
  }

  /** Returns a buffer, which may be overwritten at once. Ignores buffers of other origin and those given away. */
  release(buffer: Uint8Array): void {
    if (this.#lent.delete(buffer) && this.#free.length < FREE_MAX) this.#free.push(buffer);
  }

  /** Removes a buffer from the pool for good: its new owner keeps it for an unknown time. */
  giveAway(buffer: Uint8Array): void {
    this.#lent.delete(buffer);
  }
}
