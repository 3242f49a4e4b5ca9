/** Lists of nodes that the store keeps as an edge: entries whose object is gone or may not be seen are passed over. */
import type { EdgeName, EdgePage, StoredObject } from '../../ports.js';
import type { Call } from './call.js';
import type { EdgeList } from './edge.js';
import { type Paging, type Rows, rowsOf, storeQuery } from './paging.js';

/** How many pages one request reads to fill its own when rows are filtered away. */
const PAGES_READ_MAX = 5;

export interface ListOptions {
  readonly ascending?: boolean;
  readonly keep?: (object: StoredObject) => boolean;
  /** The rows share the privacy of what they hang on, which was checked already. */
  readonly samePrivacy?: boolean;
}

/** What `listNodes` is going to read, for `lists` of an edge. */
export const nodesOf =
  (edge: string, options: ListOptions = {}) =>
  ({ paging }: { readonly paging: Paging }): EdgeList[] => [
    { edge, query: storeQuery(paging, options), objects: true },
  ];

/** What `listEntries` is going to read. */
export const entriesOf =
  (edge: string, options: Pick<ListOptions, 'ascending'> = {}) =>
  ({ paging }: { readonly paging: Paging }): EdgeList[] => [
    { edge, query: storeQuery(paging, options), objects: false },
  ];

/** Short pages are allowed, and still have a `next`. */
export async function listNodes(call: Call, name: EdgeName, paging: Paging, options: ListOptions = {}): Promise<Rows> {
  if (paging.limit === 0) return { rows: [], hasNext: false, hasPrevious: false };
  let query = storeQuery(paging, options);
  const rows: Rows['rows'][number][] = [];
  for (let read = 1; ; read += 1) {
    const page = await call.loader.page(name, query);
    const found = rowsOf(page, await Promise.all(page.entries.map((entry) => visible(call, entry.member, options))));
    rows.push(...found.rows);
    const last = page.entries[page.entries.length - 1];
    const done = rows.length > 0 || !page.hasNext || read === PAGES_READ_MAX || paging.before !== undefined;
    if (done || last === undefined) return { ...found, rows };
    query = { ...query, after: last.cursor };
  }
}

async function visible(call: Call, id: string, options: ListOptions): Promise<StoredObject | undefined> {
  const object = await call.loader.load(id);
  if (object === undefined || (options.keep && !options.keep(object))) return undefined;
  return options.samePrivacy || (await call.access.maySee(object)) ? object : undefined;
}

/** Lists of entries that say all there is to say (likes, tags): no object is read. */
export async function listEntries(
  call: Call,
  name: EdgeName,
  paging: Paging,
  row: (entry: EdgePage['entries'][number]) => unknown,
  options: { readonly ascending?: boolean } = {},
): Promise<Rows> {
  if (paging.limit === 0) return { rows: [], hasNext: false, hasPrevious: false };
  const page = await call.loader.page(name, storeQuery(paging, options));
  return rowsOf(page, page.entries.map(row));
}
