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
  readonly send: () => void;
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
    const batch = this.#open;
    const at = batch.items.push(item) - 1;
    if (batch.items.length === TOGETHER_MAX) this.#send(batch);
    return (await batch.answers)[at] as Answer;
  }

  /** Sends what is gathered now: a call that follows must not overtake it. */
  flush(): void {
    if (this.#open !== undefined) this.#send(this.#open);
  }

  /** Sent when the callback that made the first request has returned, if not before. */
  #begin(): Batch<Item, Answer> {
    const items: Item[] = [];
    let send = (): void => undefined;
    const answers = new Promise<readonly Answer[]>((resolve) => {
      send = () => resolve(this.#call(items));
    });
    const batch = { items, answers, send };
    queueMicrotask(() => {
      if (this.#open === batch) this.#send(batch);
    });
    return batch;
  }

  #send(batch: Batch<Item, Answer>): void {
    this.#open = undefined;
    batch.send();
  }
}
