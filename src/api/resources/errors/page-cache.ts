/** Serialized pages of error records. */
import type { RecordStore } from '../../../ports/index.js';
import type { TextRows } from '../../graph/paging.js';

/**
 * Recently read pages of error records. A page is valid while the log has the same number of records and the same last
 * revision, so that any number of readers of one broadcast cost one read of its records.
 */
class PageCache {
  readonly #pages = new Map<string, { readonly state: string; readonly page: TextRows }>();
  #bytes = 0;

  get(key: string, state: string): TextRows | undefined {
    const found = this.#pages.get(key);
    return found?.state === state ? found.page : undefined;
  }

  set(key: string, state: string, page: TextRows): void {
    if (this.#bytes > PAGE_CACHE_CHARACTERS) {
      this.#pages.clear();
      this.#bytes = 0;
    }
    // Each page is kept as text and as bytes.
    this.#bytes += key.length + 2 * (page.json.length - (this.#pages.get(key)?.page.json.length ?? 0));
    this.#pages.set(key, { state, page });
  }
}

const PAGE_CACHE_CHARACTERS = 16 * 1024 * 1024;
const caches = new WeakMap<RecordStore, PageCache>();

export function pagesOf(store: RecordStore): PageCache {
  const known = caches.get(store);
  if (known) return known;
  const made = new PageCache();
  caches.set(store, made);
  return made;
}
