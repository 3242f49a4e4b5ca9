/** Admits a bounded number of events per hour for each of many names. */
import { DETECTOR } from './limits.js';

const HOUR_MS = 3_600_000;

export class HourlyBound {
  readonly #max: number;
  /** Times of the last hour by name, the name used last at the end. */
  readonly #times = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts the event if it is admitted. */
  admits(name: string, nowMs: number): boolean {
    const times = (this.#times.get(name) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS);
    const isAdmitted = times.length < this.#max;
    if (isAdmitted) times.push(nowMs);
    this.#times.delete(name);
    this.#times.set(name, times);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= DETECTOR.streamsMax) break;
      this.#times.delete(oldest);
    }
    return isAdmitted;
  }
}
