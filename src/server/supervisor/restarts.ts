/** The delay before an ended role process is restarted. */

/** After a run of at least this long, the next process starts immediately. */
const SOUND_MS = 10_000;
const FIRST_MS = 50;
const LONGEST_MS = 10_000;

export class Restarts {
  #failures = 0;
  /** How often a process ended unexpectedly. */
  count = 0;

  /** The delay before the next start, in milliseconds. The first restart after a stable run is immediate. */
  pauseAfter(livedMs: number): number {
    this.count++;
    if (livedMs >= SOUND_MS) {
      this.#failures = 0;
      return 0;
    }
    this.#failures++;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
  }
}
