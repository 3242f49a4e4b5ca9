/** A deadline that can be extended or canceled. */
export class Deadline {
  readonly #startMs = performance.now();
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `ms` from now. */
  constructor(ms: number, onTimeout: () => void) {
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(onTimeout, ms);
  }

  /** Moves the deadline to `ms` after its start. No effect once canceled. */
  extendTo(ms: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, Math.max(0, ms - (performance.now() - this.#startMs)));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
