/** An absolute time until which something must have happened; it can be put off, and lifted. */
export class Deadline {
  readonly #startMs = performance.now();
  readonly #missed: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `ms` from now. */
  constructor(ms: number, missed: () => void) {
    this.#missed = missed;
    this.#timer = setTimeout(missed, ms);
  }

  /** `ms` from the beginning. Without effect once it is lifted. */
  putOffTo(ms: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#missed, Math.max(0, ms - (performance.now() - this.#startMs)));
  }

  lift(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
