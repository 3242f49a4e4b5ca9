/** Paged lists of the administration. */
import { defined } from '../../lib/objects.js';
import type { EdgeName, Store, StoredObject } from '../../ports/index.js';

const ROWS = 100;

export interface ListQuery {
  readonly limit?: number;
  /** `after` of the previous page. */
  readonly after?: string;
}

/** Newest first. The result has `after` when more rows follow. */
export async function listed<Data, Row>(
  store: Store,
  list: EdgeName,
  query: ListQuery,
  rowOf: (object: StoredObject<Data>) => Row,
): Promise<{ readonly rows: Row[]; readonly after?: string }> {
  const { limit = ROWS, after } = query;
  const page = await store.objects.page(list, { limit, ...defined({ after }) });
  const found = await store.objects.getMany(page.entries.map((entry) => entry.member));
  const last = page.entries.at(-1);
  return {
    rows: found.flatMap((object) => (object === undefined ? [] : [rowOf(object as StoredObject<Data>)])),
    ...(page.hasNext && last ? { after: last.cursor } : {}),
  };
}
