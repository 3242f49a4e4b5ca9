/** The machine's clock, randomness and ids behind the ports. The only file that reads them. */
import { randomBytes as nodeRandomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, IdSource } from '../../ports/index.js';

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export const randomBytes = (size: number): Uint8Array => nodeRandomBytes(size);

/** 2024-01-01: ids stay short, and fit 63 bits until 2093. */
const EPOCH_MS = 1_704_067_200_000;
const RANDOM_BITS = 22n;

/**
 * Ids that grow with time: 41 bits of milliseconds, 22 bits that start at random in each millisecond and count up.
 * Two machines can generate the same id only within one millisecond; the store's version check then refuses the second.
 */
export class TimeOrderedIds implements IdSource {
  readonly #clock: Clock;
  readonly #randomBytes: (size: number) => Uint8Array;
  #lastMs = 0;
  #low = 0;

  constructor(clock: Clock, random: (size: number) => Uint8Array) {
    this.#clock = clock;
    this.#randomBytes = random;
  }

  next(): string {
    const nowMs = Math.max(this.#clock.wallMs() - EPOCH_MS, this.#lastMs);
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs;
      const [a = 0, b = 0, c = 0] = this.#randomBytes(3);
      // The top bit starts as zero, so that counting up within the millisecond cannot overflow.
      this.#low = ((a & 0x1f) << 16) | (b << 8) | c;
    } else {
      this.#low++;
      if (this.#low >= 1 << Number(RANDOM_BITS)) {
        this.#lastMs++;
        this.#low = 0;
      }
    }
    return ((BigInt(this.#lastMs) << RANDOM_BITS) | BigInt(this.#low)).toString();
  }
}
