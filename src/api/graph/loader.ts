/**
 * Reads of one request, gathered: what is asked for in one turn of the event loop goes to the store as one call, and an
 * object is read once. So nested fields cost a round trip a level, not one a row.
 */
import type { EdgeEntry, EdgeName, EdgePage, ObjectStore, PageQuery, StoredObject } from '../../ports.js';

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class Loader {
  readonly #store: ObjectStore;
  readonly #objects = new Map<string, Promise<StoredObject | undefined>>();
  readonly #entries = new Map<string, Promise<EdgeEntry | undefined>>();
  #ids: Waiting<string, StoredObject | undefined>[] = [];
  #pages: Waiting<{ name: EdgeName; query: PageQuery }, EdgePage>[] = [];

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  load(id: string): Promise<StoredObject | undefined> {
    const known = this.#objects.get(id);
    if (known) return known;
    const made = new Promise<StoredObject | undefined>((resolve, reject) => {
      if (this.#ids.length === 0) afterThisTurn(() => this.#flushIds());
      this.#ids.push({ ask: id, resolve, reject });
    });
    this.#objects.set(id, made);
    return made;
  }

  /** An object that was read or written elsewhere in this request. */
  know(object: StoredObject): void {
    this.#objects.set(object.id, Promise.resolve(object));
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }

  page(name: EdgeName, query: PageQuery): Promise<EdgePage> {
    return new Promise((resolve, reject) => {
      if (this.#pages.length === 0) afterThisTurn(() => this.#flushPages());
      this.#pages.push({ ask: { name, query }, resolve, reject });
    });
  }

  entry(name: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    const key = `${name.owner} ${name.edge} ${member}`;
    let known = this.#entries.get(key);
    if (!known) {
      known = this.#store.edgeEntry(name, member);
      this.#entries.set(key, known);
    }
    return known;
  }

  size(name: EdgeName): Promise<number> {
    return this.#store.edgeSize(name);
  }

  async #flushIds(): Promise<void> {
    const waiting = this.#ids;
    this.#ids = [];
    await settle(waiting, () => this.#store.getMany(waiting.map((each) => each.ask)));
  }

  async #flushPages(): Promise<void> {
    const waiting = this.#pages;
    this.#pages = [];
    await settle(waiting, () => this.#store.pages(waiting.map((each) => each.ask)));
  }
}

async function settle<Ask, Answer>(waiting: Waiting<Ask, Answer>[], ask: () => Promise<Answer[]>): Promise<void> {
  try {
    const answers = await ask();
    waiting.forEach((each, index) => {
      each.resolve(answers[index] as Answer);
    });
  } catch (error) {
    for (const each of waiting) each.reject(error);
  }
}

/** After all promise callbacks that are due now, so that siblings of one level meet in one call. */
function afterThisTurn(run: () => Promise<void>): void {
  void Promise.resolve().then(() => process.nextTick(() => void run()));
}
