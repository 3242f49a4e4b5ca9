/** Closes opened resources in reverse order: at shutdown, and after a failed start. */
import { withTimeout } from '../../lib/timeout.js';
import type { Log } from '../../ports/index.js';

interface Closer {
  readonly name: string;
  readonly close: () => void | Promise<void>;
}

export class Closers {
  readonly #log: Log;
  readonly #open: Closer[] = [];
  #closing: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Call right after opening a resource, or before if a failed opening leaves something to clean up. */
  add(name: string, close: () => void | Promise<void>): void {
    this.#open.push({ name, close });
  }

  /** Open resources, in the order of opening. */
  get open(): readonly string[] {
    return this.#open.map(({ name }) => name);
  }

  /** Closes each resource once. If one fails, the others are still closed; its error is thrown at the end. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let last = this.#open.at(-1); last !== undefined; last = this.#open.at(-1)) {
      const { name, close } = last;
      try {
        await close();
      } catch (error) {
        this.#log.error({ part: name, error }, 'a part of the server could not be closed');
        errors.push(error);
      }
      this.#open.splice(this.#open.lastIndexOf(last), 1);
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Closes after a failed start: errors are ignored in favor of the original one, and the wait is bounded. */
  closeWithin(ms: number): Promise<void> {
    const closed = this.close().catch(() => undefined);
    return withTimeout(closed, ms, () => {
      this.#log.error({ open: this.open }, 'parts of the server did not close in time');
    });
  }
}
