/**
 * Pieces of a file in memory that two threads share: one reads them from the file, the other judges them without a copy.
 * Each piece carries its position, so it is used only where it is the one that is wanted: what the thread guesses wrong,
 * or does too late, the judge reads by itself. The judge never waits.
 */

import { SMALLEST_READ_BYTES } from './ahead.js';

export const PIECE_BYTES = SMALLEST_READ_BYTES;
/** Four megabytes: the lead of the thread outlasts its wake-ups. */
const PIECES = 4096;
/** Pieces that are handed over at once: each time is a synchronization of the cores. */
const BATCH = 32;
/**
 * Pieces that are given back at once: the thread sleeps until then if it is ahead by all of them. Each wake-up costs the judge a
 * system call.
 */
const FREED_AT_ONCE = PIECES / 2;

/** Places of `control`. */
const WRITTEN = 0;
const FREED = 1;
const STATE = 2;

const STARTING = 0;
const READY = 1;
const RUNNING = 2;
const STOPPED = 3;

/** Less than any count. */
const NEVER_FREED = -1;

/** Passed to the thread as it is. */
export interface SharedPieces {
  readonly bytes: SharedArrayBuffer;
  readonly positions: SharedArrayBuffer;
  readonly sizes: SharedArrayBuffer;
  readonly control: SharedArrayBuffer;
}

export function newSharedPieces(): SharedPieces {
  return {
    bytes: new SharedArrayBuffer(PIECES * PIECE_BYTES),
    positions: new SharedArrayBuffer(PIECES * Float64Array.BYTES_PER_ELEMENT),
    sizes: new SharedArrayBuffer(PIECES * Int32Array.BYTES_PER_ELEMENT),
    control: new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
  };
}

abstract class PieceSide {
  readonly bytes: Buffer;
  /** In the file. */
  protected readonly positions: Float64Array;
  protected readonly sizes: Int32Array;
  protected readonly control: Int32Array;

  constructor({ bytes, positions, sizes, control }: SharedPieces) {
    this.bytes = Buffer.from(bytes);
    this.positions = new Float64Array(positions);
    this.sizes = new Int32Array(sizes);
    this.control = new Int32Array(control);
  }

  /** Ends the waits of the writer, also one that is about to begin: both values that it waits on change. */
  stop(): void {
    Atomics.store(this.control, STATE, STOPPED);
    Atomics.store(this.control, FREED, NEVER_FREED);
    Atomics.notify(this.control, STATE);
    Atomics.notify(this.control, FREED);
  }
}

/** The side of the thread. Its waits end with `stop`. */
export class PieceWriter extends PieceSide {
  #written = 0;
  #freed = 0;

  /** Waits for the position at which to begin; NaN when stopped. */
  waitForStart(): number {
    Atomics.compareExchange(this.control, STATE, STARTING, READY);
    Atomics.wait(this.control, STATE, READY);
    return this.#isStopped ? Number.NaN : (this.positions[0] as number);
  }

  /** Where in `bytes` the next piece belongs, once there is room for it; -1 when stopped. */
  next(): number {
    while (!this.#isStopped && this.#written - this.#freed >= PIECES) {
      const freed = Atomics.load(this.control, FREED);
      if (freed === this.#freed) Atomics.wait(this.control, FREED, freed);
      this.#freed = freed;
    }
    return this.#isStopped ? -1 : (this.#written % PIECES) * PIECE_BYTES;
  }

  /** The piece of the last `next` is complete. */
  put(position: number, size: number): void {
    const at = this.#written % PIECES;
    this.positions[at] = position;
    this.sizes[at] = size;
    this.#written++;
    if (this.#written % BATCH === 0) this.flush();
  }

  flush(): void {
    Atomics.store(this.control, WRITTEN, this.#written);
  }

  get #isStopped(): boolean {
    return Atomics.load(this.control, STATE) === STOPPED;
  }
}

/** The side of the judge. */
export class PieceReader extends PieceSide {
  /** Where in `bytes` the piece of the last `find` begins. */
  from = 0;
  #next = 0;
  #written = 0;
  #freed = 0;

  /** The thread waits for `start`. */
  get isReady(): boolean {
    return Atomics.load(this.control, STATE) === READY;
  }

  start(position: number): void {
    this.positions[0] = position;
    Atomics.compareExchange(this.control, STATE, READY, RUNNING);
    Atomics.notify(this.control, STATE);
  }

  /**
   * Size of the piece at `position` of the file; 0 if there is none. It stays as it is until the first `find` that follows
   * with `isHeld` false. Positions only grow.
   */
  find(position: number, isHeld: boolean): number {
    if (!isHeld) this.#free();
    while (this.#hasNext()) {
      const at = this.#next % PIECES;
      const found = this.positions[at] as number;
      if (found > position) return 0;
      this.#next++;
      if (found === position) {
        this.from = at * PIECE_BYTES;
        return this.sizes[at] as number;
      }
    }
    return 0;
  }

  #hasNext(): boolean {
    if (this.#next === this.#written) this.#written = Atomics.load(this.control, WRITTEN);
    return this.#next !== this.#written;
  }

  #free(): void {
    if (this.#next - this.#freed < FREED_AT_ONCE) return;
    this.#freed = this.#next;
    Atomics.store(this.control, FREED, this.#freed);
    Atomics.notify(this.control, FREED);
  }
}
