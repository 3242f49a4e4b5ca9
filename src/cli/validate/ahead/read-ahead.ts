/**
 * Reads a long recording ahead of its judge in a thread of its own. The thread takes part of a core from V8's compilers, so
 * it starts after they are done with most of the judge, and not for what takes less time than its start.
 */
import { Worker } from 'node:worker_threads';
import type { Ahead } from './ahead.js';
import { newSharedPieces, PieceReader } from './piece-ring.js';
import type { AheadTask } from './thread.js';

const THREAD = './thread.js';
/** V8 has compiled most of the judge by then. The thread takes some 30 ms to start, in which the judge reads by itself. */
const AFTER_BYTES = 3e7;

export class ReadAhead implements Ahead {
  readonly #file: number;
  readonly #minSkipBytes: number;
  readonly #afterBytes: number;
  readonly #shared = newSharedPieces();
  readonly #pieces = new PieceReader(this.#shared);
  #hasThread = false;
  #isStarted = false;

  /** `file` stays open until `stop`. `minSkipBytes`: smaller gaps are read through. */
  constructor(file: number, minSkipBytes: number, afterBytes = AFTER_BYTES) {
    this.#file = file;
    this.#minSkipBytes = minSkipBytes;
    this.#afterBytes = afterBytes;
  }

  get bytes(): Uint8Array {
    return this.#pieces.bytes;
  }

  get from(): number {
    return this.#pieces.from;
  }

  find(position: number, isHeld: boolean): number {
    return this.#isStarted ? this.#pieces.find(position, isHeld) : 0;
  }

  skippedTo(position: number): void {
    if (this.#isStarted || position < this.#afterBytes) return;
    if (!this.#hasThread) this.#newThread();
    if (!this.#pieces.isReady) return;
    this.#pieces.start(position);
    this.#isStarted = true;
  }

  stop(): void {
    this.#pieces.stop();
  }

  #newThread(): void {
    this.#hasThread = true;
    const workerData: AheadTask = { file: this.#file, pieces: this.#shared, minSkipBytes: this.#minSkipBytes };
    const thread = new Worker(new URL(THREAD, import.meta.url), { workerData });
    // The judge reads by itself what the thread does not.
    thread.on('error', () => undefined);
    thread.unref();
  }
}
