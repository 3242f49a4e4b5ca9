/** A page of what administration lists. */
import type { EdgeName, Store, StoredObject } from '../../ports/index.js';

const ROWS = 100;

export interface ListQuery {
  readonly limit?: number;
  /** The cursor that the last answer gave. */
  readonly after?: string;
}

/** Newest first. `after` in the answer is there when more follow. */
export async function listed<Data, Row>(
  store: Store,
  list: EdgeName,
  query: ListQuery,
  rowOf: (object: StoredObject<Data>) => Row,
): Promise<{ readonly rows: Row[]; readonly after?: string }> {
  const { limit = ROWS, after } = query;
  const page = await store.objects.page(list, { limit, ...(after === undefined ? {} : { after }) });
  const found = await store.objects.getMany(page.entries.map((entry) => entry.member));
  const last = page.entries.at(-1);
  return {
    rows: found.flatMap((object) => (object === undefined ? [] : [rowOf(object as StoredObject<Data>)])),
    ...(page.hasNext && last ? { after: last.cursor } : {}),
  };
}
