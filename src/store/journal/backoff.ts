/** Exponential backoff with jitter; `hurry` ends a wait early. */

const FIRST_MS = 50;
const MAX_MS = 5_000;

export class Backoff {
  #attempt = 0;
  #wake: (() => void) | undefined;

  succeeded(): void {
    this.#attempt = 0;
  }

  /** Resolves after the wait, or at `hurry`. */
  wait(): Promise<void> {
    const fullMs = Math.min(FIRST_MS * 2 ** Math.min(this.#attempt, 16), MAX_MS);
    this.#attempt += 1;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, fullMs * (0.5 + Math.random() / 2));
      this.#wake = done;
    });
  }

  hurry(): void {
    this.#wake?.();
  }
}
