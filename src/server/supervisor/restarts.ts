/** When a role process that ended is started again. */

/** A process that lived this long was sound: the next one starts at once. */
const SOUND_MS = 10_000;
const FIRST_MS = 50;
const LONGEST_MS = 10_000;

export class Restarts {
  #failures = 0;
  /** How often a process ended that was not asked to. */
  count = 0;

  /** The pause before the next start, in milliseconds. The first restart after a sound life is immediate. */
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
