/**
 * Runs work one piece at a time and pauses after each in proportion to its duration, so that all of it together takes at
 * most a share of one processor.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from './pool.js';

export interface ShareOptions {
  /** Share of one processor, above 0 and at most 1. */
  readonly share: number;
  /** Further work is refused. */
  readonly waiting: number;
  readonly nowMs?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The process may end during a pause: what waits then is a sample. */
const unrefSleep = (ms: number) => sleep(ms, undefined, { ref: false });

export class CpuShare {
  readonly #pool: Pool;
  readonly #pausePerMs: number;
  readonly #nowMs: () => number;
  readonly #pause: (ms: number) => Promise<unknown>;
  #freeMs = Number.NEGATIVE_INFINITY;

  constructor({ share, waiting, nowMs = () => performance.now(), pause = unrefSleep }: ShareOptions) {
    this.#pool = new Pool(1, waiting);
    this.#pausePerMs = 1 / share - 1;
    this.#nowMs = nowMs;
    this.#pause = pause;
  }

  get hasRoom(): boolean {
    return this.#pool.hasRoom;
  }

  /** Pieces of work that wait for others. */
  get waiting(): number {
    return this.#pool.waiting;
  }

  /** @throws PoolFullError, and what `work` throws */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#pool.run(async () => {
      const startMs = await this.#start();
      try {
        return await work();
      } finally {
        const endMs = this.#nowMs();
        this.#freeMs = endMs + (endMs - startMs) * this.#pausePerMs;
      }
    });
  }

  async #start(): Promise<number> {
    const waitMs = this.#freeMs - this.#nowMs();
    if (waitMs > 0) await this.#pause(waitMs);
    return this.#nowMs();
  }
}
