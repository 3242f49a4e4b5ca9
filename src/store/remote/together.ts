/**
 * Requests of one event-loop turn that travel as one call: a tick of the clock saves and renews for many broadcasts, and a call
 * of its own for each costs both processes more than its content.
 */

/** Bounds the frame of a call: the state of a judge has tens of kilobytes at most. */
const TOGETHER_MAX = 100;

interface Batch<Item, Answer> {
  readonly items: Item[];
  /** One answer for each item, in their order. */
  readonly answers: Promise<readonly Answer[]>;
}

export class Together<Item, Answer> {
  readonly #call: (items: readonly Item[]) => Promise<readonly Answer[]>;
  #open: Batch<Item, Answer> | undefined;

  constructor(call: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.#call = call;
  }

  /** Fails with all others of its call. */
  async add(item: Item): Promise<Answer> {
    this.#open ??= this.#begin();
    const { items, answers } = this.#open;
    const at = items.push(item) - 1;
    if (items.length === TOGETHER_MAX) this.#open = undefined;
    return (await answers)[at] as Answer;
  }

  /** Sent when the callback that made the first request has returned. */
  #begin(): Batch<Item, Answer> {
    const items: Item[] = [];
    const answers = Promise.resolve().then(() => {
      if (this.#open?.items === items) this.#open = undefined;
      return this.#call(items);
    });
    return { items, answers };
  }
}
