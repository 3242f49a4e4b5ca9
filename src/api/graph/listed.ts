/** Lists of nodes stored as an edge. Entries whose object is deleted or not visible are skipped. */
import type { EdgeName, EdgePage, ListName, PageQuery, StoredObject } from '../../ports/index.js';
import { API_LIMITS } from '../context/limits.js';
import type { Call } from './call.js';
import type { EdgeList } from './edge.js';
import { NO_ROWS, type Paging, type Rows, rowsOf, storeQuery } from './paging.js';

/** Pages that one request reads at most when rows are filtered out. */
const PAGES_READ_MAX = 5;

export interface ListOptions {
  readonly ascending?: boolean;
  readonly keep?: (object: StoredObject) => boolean | Promise<boolean>;
  /** The rows share the privacy of their parent, which was checked already. */
  readonly samePrivacy?: boolean;
}

/** The reads of `listNodes`, for `lists` of an edge. */
export const nodesOf =
  (edge: ListName, options: ListOptions = {}) =>
  ({ paging }: { readonly paging: Paging }): EdgeList[] => [
    { edge, query: storeQuery(paging, options), objects: true },
  ];

/** The reads of `listEntries`, for `lists` of an edge. */
export const entriesOf =
  (edge: ListName, options: Pick<ListOptions, 'ascending'> = {}) =>
  ({ paging }: { readonly paging: Paging }): EdgeList[] => [
    { edge, query: storeQuery(paging, options), objects: false },
  ];

/** A page may be short and still have `next`. */
export function listNodes(call: Call, name: EdgeName, paging: Paging, options: ListOptions = {}): Promise<Rows> {
  const read = (query: PageQuery) => call.loader.page(name, query);
  return filledPage(paging, storeQuery(paging, options), read, (id) => visible(call, id, options));
}

/**
 * Reads further pages while all rows are filtered out, so that clients rarely get runs of empty pages: some take an empty
 * page for the end of the list. Further pages have at least the default size, because a small limit hides as many rows.
 */
export async function filledPage(
  paging: Paging,
  first: PageQuery,
  read: (query: PageQuery) => Promise<EdgePage>,
  rowOf: (id: string, value: unknown) => Promise<unknown>,
): Promise<Rows> {
  if (paging.limit === 0) return NO_ROWS;
  let query = first;
  for (let reads = 1; ; reads += 1) {
    const page = await read(query);
    const rows = await Promise.all(page.entries.map((entry) => rowOf(entry.member, entry.value)));
    const found = firstRows(rowsOf(page, rows), paging.limit);
    const last = page.entries[page.entries.length - 1];
    const done = found.rows.length > 0 || !page.hasNext || reads === PAGES_READ_MAX || paging.before !== undefined;
    if (done || last === undefined) return found;
    const { offset: _, ...rest } = query;
    query = { ...rest, after: last.cursor, limit: Math.max(paging.limit, API_LIMITS.pageSizeDefault) };
  }
}

function firstRows(found: Rows, limit: number): Rows {
  return found.rows.length <= limit ? found : { ...found, rows: found.rows.slice(0, limit), hasNext: true };
}

async function visible(call: Call, id: string, options: ListOptions): Promise<StoredObject | undefined> {
  const object = await call.loader.load(id);
  if (object === undefined || (options.keep && !(await options.keep(object)))) return undefined;
  return options.samePrivacy || (await call.access.maySee(object)) ? object : undefined;
}

/** Lists whose entries hold all data of the row (likes, tags): no object is read. */
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
