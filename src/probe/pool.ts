/** Bounds concurrent work: at most `parallel` run, at most `waiting` wait, more are refused. */
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

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws PoolFullError */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.hasRoom) throw new PoolFullError(`queue full: ${this.#waitingMax} waiting`);
    if (this.#running >= this.#parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // The slot passes directly to the next in line, so that no new caller can take it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
