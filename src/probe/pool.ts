/** So many at a time, so many waiting, no more. */
export class PoolFullError extends Error {
  override readonly name = 'PoolFullError';
  readonly code = 'POOL_FULL';
}

export class Pool {
  readonly #parallel: number;
  readonly #waitingMax: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(parallel: number, waitingMax: number) {
    this.#parallel = parallel;
    this.#waitingMax = waitingMax;
  }

  get hasRoom(): boolean {
    return this.#running < this.#parallel || this.#waiting.length < this.#waitingMax;
  }

  /** @throws PoolFullError */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.hasRoom) throw new PoolFullError(`${this.#waitingMax} others wait already`);
    if (this.#running >= this.#parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // The place goes to the next one without becoming free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
