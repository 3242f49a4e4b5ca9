/**
 * Bounds concurrent downloads: in total, per client, and per remote server. Each download may take minutes and store
 * gigabytes; without a bound, a client with a token could direct any amount of traffic at any server.
 */
import { busyFetching } from './faults.js';

export interface FetchLimits {
  readonly parallel: number;
  readonly parallelPerKey: number;
  readonly waiting: number;
  readonly waitingPerKey: number;
  readonly waitMs: number;
}

interface Waiter {
  readonly keys: readonly string[];
  readonly go: () => void;
}

export class FetchPlaces {
  readonly #limits: FetchLimits;
  #running = 0;
  readonly #runningOf = new Map<string, number>();
  /** In order of arrival. */
  readonly #waiting: Waiter[] = [];

  constructor(limits: FetchLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` when a slot is free for each of its keys. @throws ServiceError when too many wait, or on timeout
   * @param keys client and server; the limit applies to each key separately
   */
  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    if (!this.#fits(keys)) await this.#place(keys);
    else this.#count(keys, 1);
    try {
      return await work();
    } finally {
      this.#count(keys, -1);
      this.#next();
    }
  }

  #fits(keys: readonly string[]): boolean {
    const { parallel, parallelPerKey } = this.#limits;
    return this.#running < parallel && keys.every((key) => (this.#runningOf.get(key) ?? 0) < parallelPerKey);
  }

  /** Resolves when the slot is acquired. */
  #place(keys: readonly string[]): Promise<void> {
    const { waiting, waitingPerKey, waitMs } = this.#limits;
    const before = (key: string) => this.#waiting.filter((waiter) => waiter.keys.includes(key)).length;
    if (this.#waiting.length >= waiting || keys.some((key) => before(key) >= waitingPerKey)) throw busyFetching();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        keys,
        go: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(busyFetching());
      }, waitMs);
      this.#waiting.push(waiter);
    });
  }

  /** Starts waiters in order, skipping those whose own keys are at their limit. */
  #next(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const waiter = this.#waiting[index];
      if (waiter === undefined || !this.#fits(waiter.keys)) {
        index++;
        continue;
      }
      this.#waiting.splice(index, 1);
      this.#count(waiter.keys, 1);
      waiter.go();
    }
  }

  #count(keys: readonly string[], by: 1 | -1): void {
    this.#running += by;
    for (const key of keys) {
      const count = (this.#runningOf.get(key) ?? 0) + by;
      if (count === 0) this.#runningOf.delete(key);
      else this.#runningOf.set(key, count);
    }
  }
}
