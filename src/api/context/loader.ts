/**
 * Batches the reads of one request: reads issued in one event-loop turn go to the store as one call, and each object is
 * read once. Nested fields thus cost one round trip per level, not per row.
 */
import type {
  BatchRead,
  EdgeEntry,
  EdgeName,
  EdgePage,
  ObjectStore,
  PageQuery,
  RecordCounts,
  StoredObject,
} from '../../ports/index.js';
import { API_LIMITS } from './limits.js';

const { objectsPerRead, entriesPerRead } = API_LIMITS;

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Results of `prefetch`. */
interface Prefetched {
  readonly aliases: Map<string, string | undefined>;
  readonly pages: Map<string, EdgePage>;
  readonly sizes: Map<string, number>;
  readonly counters: Map<string, Readonly<Record<string, number>>>;
  readonly recordCounts: Map<string, RecordCounts>;
}

const nothingPrefetched = (): Prefetched => ({
  aliases: new Map(),
  pages: new Map(),
  sizes: new Map(),
  counters: new Map(),
  recordCounts: new Map(),
});

/** Awaited before each call of the store; throws once the request is abandoned. */
export interface Pace {
  admission(): Promise<void>;
  addValues(count: number): void;
}

export class Loader {
  readonly #store: ObjectStore;
  readonly #pace: Pace | undefined;
  readonly #objects = new Map<string, Promise<StoredObject | undefined>>();
  readonly #entries = new Map<string, Promise<EdgeEntry | undefined>>();
  #prefetched: Prefetched | undefined;
  #ids: Waiting<string, StoredObject | undefined>[] = [];
  #pages: Waiting<{ name: EdgeName; query: PageQuery }, EdgePage>[] = [];

  constructor(store: ObjectStore, pace?: Pace) {
    this.#store = store;
    this.#pace = pace;
  }

  /** Prefetches in one round trip, if the store supports it. */
  async prefetch(wanted: BatchRead): Promise<void> {
    const found = await this.#store.readBatch?.(wanted);
    if (found === undefined) return;
    this.#prefetched ??= nothingPrefetched();
    const { aliases, pages, sizes, counters, recordCounts } = this.#prefetched;
    for (const [alias, id] of found.aliases) aliases.set(alias, id);
    for (const [id, object] of found.objects) this.#objects.set(id, Promise.resolve(object));
    for (const { name, query, page } of found.pages) pages.set(pageKey(name, query), page);
    for (const { name, size } of found.sizes) sizes.set(edgeKey(name), size);
    for (const { name, member, entry } of found.entries) {
      this.#entries.set(`${edgeKey(name)} ${member}`, Promise.resolve(entry));
    }
    for (const [id, counts] of found.recordCounts) recordCounts.set(id, counts);
    for (const { owner, values } of found.counters) counters.set(owner, { ...counters.get(owner), ...values });
  }

  /** Counts at the start of the call; `undefined` if they were not prefetched. */
  prefetchedRecordCounts(broadcastId: string): RecordCounts | undefined {
    return this.#prefetched?.recordCounts.get(broadcastId);
  }

  /** Whether the store supports prefetching. */
  get canPrefetch(): boolean {
    return this.#store.readBatch !== undefined;
  }

  resolveAlias(alias: string): Promise<string | undefined> {
    const aliases = this.#prefetched?.aliases;
    if (aliases?.has(alias)) return Promise.resolve(aliases.get(alias));
    return this.#store.resolveAlias(alias);
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

  /** Caches an object that was read or written elsewhere in this request. */
  know(object: StoredObject): void {
    this.#objects.set(object.id, Promise.resolve(object));
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }

  page(name: EdgeName, query: PageQuery): Promise<EdgePage> {
    const pages = this.#prefetched?.pages;
    const prefetched = pages === undefined || pages.size === 0 ? undefined : pages.get(pageKey(name, query));
    if (prefetched) return Promise.resolve(prefetched);
    return new Promise((resolve, reject) => {
      if (this.#pages.length === 0) afterThisTurn(() => this.#flushPages());
      this.#pages.push({ ask: { name, query }, resolve, reject });
    });
  }

  entry(name: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    const key = `${edgeKey(name)} ${member}`;
    let known = this.#entries.get(key);
    if (!known) {
      known = this.#store.edgeEntry(name, member);
      this.#entries.set(key, known);
    }
    return known;
  }

  size(name: EdgeName): Promise<number> {
    const prefetched = this.#prefetched?.sizes.get(edgeKey(name));
    return prefetched === undefined ? this.#store.edgeSize(name) : Promise.resolve(prefetched);
  }

  async counter(owner: string, name: string): Promise<number> {
    return this.#prefetched?.counters.get(owner)?.[name] ?? (await this.#store.counters(owner, [name]))[0] ?? 0;
  }

  async #flushIds(): Promise<void> {
    const waiting = this.#ids;
    this.#ids = [];
    for (let at = 0; at < waiting.length; at += objectsPerRead) {
      if (at > 0) await continued();
      const some = waiting.slice(at, at + objectsPerRead);
      await this.#settle(some, () => this.#store.getMany(some.map((each) => each.ask)));
    }
  }

  async #flushPages(): Promise<void> {
    const waiting = this.#pages;
    this.#pages = [];
    let isFirst = true;
    for (const some of byEntries(waiting)) {
      if (!isFirst) await continued();
      isFirst = false;
      await this.#settle(some, () => this.#store.pages(some.map((each) => each.ask)));
    }
  }

  async #settle<Ask, Answer>(waiting: readonly Waiting<Ask, Answer>[], ask: () => Promise<Answer[]>): Promise<void> {
    try {
      await this.#pace?.admission();
      this.#pace?.addValues(waiting.length);
      const answers = await ask();
      waiting.forEach((each, index) => {
        each.resolve(answers[index] as Answer);
      });
    } catch (error) {
      for (const each of waiting) each.reject(error);
    }
  }
}

const edgeKey = ({ owner, edge }: EdgeName): string => `${owner} ${edge}`;

function pageKey(name: EdgeName, query: PageQuery): string {
  return `${edgeKey(name)} ${JSON.stringify(query)}`;
}

/** Splits page reads so that each call of the store stays within `entriesPerRead`. */
function* byEntries<Each extends { readonly ask: { readonly query: PageQuery } }>(waiting: readonly Each[]) {
  let some: Each[] = [];
  let entries = 0;
  for (const each of waiting) {
    if (some.length > 0 && entries + each.ask.query.limit > entriesPerRead) {
      yield some;
      some = [];
      entries = 0;
    }
    some.push(each);
    entries += each.ask.query.limit + 1;
  }
  if (some.length > 0) yield some;
}

/** Lets the continuations of the previous read run first, so that the slice clock includes their time. */
function continued(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Runs after all promise callbacks that are due now, so that sibling fields of one level share one call. */
function afterThisTurn(run: () => Promise<void>): void {
  void Promise.resolve().then(() => process.nextTick(() => void run()));
}
