/** How much of the disk below a folder is free, asked for now and then; the answer in between is the last one. */
import { statfs } from 'node:fs';
import { RECORDER } from './limits.js';

export class FreeSpace {
  #isLow = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #folder: string;
  readonly #onLow: (freePart: number) => void;

  constructor(folder: string, onLow: (freePart: number) => void = () => undefined) {
    this.#folder = folder;
    this.#onLow = onLow;
  }

  /** Free space fell under the least, and has not yet come back over the mark at which recording begins again. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Asks now, then every few seconds. Resolves after the first answer. */
  start(): Promise<void> {
    this.#timer = setInterval(() => this.#ask(() => undefined), RECORDER.freeCheckMs);
    this.#timer.unref();
    return new Promise((resolve) => this.#ask(resolve));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(done: () => void): void {
    statfs(this.#folder, (error, { bavail = 1, blocks = 1 } = {} as never) => {
      // Without an answer the last one stands; the next write that fails says what is wrong.
      if (error === null && blocks > 0) this.take(bavail / blocks);
      done();
    });
  }

  /** `freePart` from 0 to 1. */
  take(freePart: number): void {
    const wasLow = this.#isLow;
    this.#isLow = freePart < (wasLow ? RECORDER.freeAgain : RECORDER.freeLeast);
    if (this.#isLow && !wasLow) this.#onLow(freePart);
  }
}
