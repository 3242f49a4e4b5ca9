/** The index of all references in this process, rebuilt from the store and the blobs when references change. */
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { INDEX, PRINT } from '../copyright/limits.js';
import { type IndexedReference, PrintIndex } from '../copyright/print-index.js';
import { distinctiveItems, itemsToMs, type Print, parsePrint } from '../copyright/prints.js';
import type { VideoData } from '../lifecycle/documents.js';
import {
  type Blobs,
  type Log,
  type Store,
  type StoredReference,
  SYSTEM_EDGES,
  storedReferences,
} from '../ports/index.js';
import { DETECTOR, PACE } from './limits.js';
import { paced } from './paced.js';

export interface ReferenceIndexDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly log: Log;
}

/** A reference whose print is made. */
interface Printed {
  readonly reference: StoredReference;
  readonly key: string;
}

export class ReferenceIndex {
  readonly #deps: ReferenceIndexDeps;
  #index = PrintIndex.of([]);
  /** What the index was built from. */
  #source = '[]';
  #loading: Promise<void> | undefined;
  #isStale = false;
  /** No build starts before. */
  #restUntilMs = 0;

  constructor(deps: ReferenceIndexDeps) {
    this.#deps = deps;
  }

  get current(): PrintIndex {
    return this.#index;
  }

  /** Whether any reference exists, with or without a print. */
  async hasAny(): Promise<boolean> {
    return (await this.#deps.store.objects.edgeSize(SYSTEM_EDGES.copyrightReferences)) > 0;
  }

  /** Resolves when the index has what the store had at the time of the call. */
  async load(): Promise<void> {
    if (this.#loading !== undefined) {
      this.#isStale = true;
      return this.#loading;
    }
    this.#loading = this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    do {
      // References that are changed one after the other are indexed together.
      await setTimeout(Math.max(0, this.#restUntilMs - performance.now()));
      this.#isStale = false;
      const startMs = performance.now();
      await this.#rebuild();
      const endMs = performance.now();
      this.#restUntilMs = endMs + Math.min(endMs - startMs, PACE.restMaxMs);
    } while (this.#isStale);
  }

  async #rebuild(): Promise<void> {
    const printed = await this.#printed();
    const source = JSON.stringify(printed);
    if (source === this.#source) return;
    const indexed: IndexedReference[] = [];
    for (let from = 0; from < printed.length; from += DETECTOR.readsAtOnce) {
      const some = printed.slice(from, from + DETECTOR.readsAtOnce);
      const prints = await Promise.all(some.map(({ key }) => this.#read(key)));
      for (const [at, print] of prints.entries()) {
        const reference = some[at]?.reference;
        if (reference !== undefined && print !== undefined) indexed.push({ reference, print });
      }
    }
    this.#index = await paced(PrintIndex.build(indexed));
    this.#source = source;
    const { references, omitted, lengthMs } = this.#index;
    this.#deps.log.info({ references, omitted, lengthMs }, 'copyright references are indexed');
  }

  /** References with a print of this version, the oldest first. */
  async #printed(): Promise<Printed[]> {
    const { objects } = this.#deps.store;
    const references: StoredReference[] = [];
    for await (const { addedMs: _added, ...reference } of storedReferences(objects)) references.push(reference);
    const printed: Printed[] = [];
    for (let from = 0; from < references.length; from += DETECTOR.page) {
      const some = references.slice(from, from + DETECTOR.page);
      const videos = await objects.getMany(some.map(({ videoId }) => videoId));
      for (const [at, video] of videos.entries()) {
        const { print, copyrightCheck } = (video?.data ?? {}) as Partial<VideoData>;
        const reference = some[at];
        if (reference === undefined || print?.version !== PRINT.version) continue;
        // It has content of an older reference: whose it is, the operator has to decide.
        const isContested = (copyrightCheck?.matches.length ?? 0) > 0;
        printed.push({ reference: isContested ? { ...reference, policy: 'monitor' } : reference, key: print.key });
      }
    }
    return printed;
  }

  /** Undefined for a print that is missing, and for one without anything to match: silence, a tone, a few seconds. */
  async #read(key: string): Promise<Print | undefined> {
    try {
      const print = parsePrint(await buffer(await this.#deps.blobs.read(key)));
      return itemsToMs(distinctiveItems(print)) + PRINT.leadMs < INDEX.shortestMs ? undefined : print;
    } catch (error) {
      this.#deps.log.warn({ key, error }, 'the print of a copyright reference cannot be read');
      return undefined;
    }
  }
}
