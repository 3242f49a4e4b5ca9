/** Paging of lists: `limit`, cursors, `since`, `until`, `offset`, `summary`, and links to adjacent pages. */
import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { EdgePage, PageQuery } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { bool, int, resolveTimeWord, text, time, toList } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';
import { mergeParams, noParams, type RawParams } from '../params/raw.js';
import type { Call } from './call.js';

export const pagingShape = {
  limit: int({ min: 0 }).optional(),
  after: text({ max: 2000 }).optional(),
  before: text({ max: 2000 }).optional(),
  offset: int({ min: 0, max: 1_000_000 }).optional(),
  since: time().optional(),
  until: time().optional(),
  summary: z
    .preprocess(toSummary, z.union([z.boolean(), z.array(text())], { error: () => 'true, false or a list of names' }))
    .optional(),
};

const pagingSchema = z.object(pagingShape);
const PAGING_NAMES = Object.keys(pagingShape);

export type Paging = Omit<z.output<typeof pagingSchema>, 'limit'> & { readonly limit: number };

const FIRST_PAGE: Paging = { limit: API_LIMITS.pageSizeDefault };

export function parsePaging(raw: RawParams, nowMs: number): Paging {
  // Fast path: most requests are for the first page.
  if (!PAGING_NAMES.some((name) => raw[name] !== undefined)) return FIRST_PAGE;
  const words = { ...raw, since: resolveTimeWord(raw.since, nowMs), until: resolveTimeWord(raw.until, nowMs) };
  for (const name of ['after', 'before', 'since', 'until', 'offset', 'limit'] as const) {
    if (raw[name] === '' || raw[name] === undefined) delete (words as RawParams)[name];
  }
  const paging = parseParams(pagingSchema, words);
  return { ...paging, limit: Math.min(paging.limit ?? API_LIMITS.pageSizeDefault, API_LIMITS.pageSizeMax) };
}

/** Resolves words such as `yesterday` in `since` and `until` of an edge's own parameters. */
export function withTimeWords(raw: RawParams, nowMs: number): RawParams {
  if (raw.since === undefined && raw.until === undefined) return raw;
  const out = mergeParams(noParams(), raw);
  for (const name of ['since', 'until']) {
    if (out[name] === '') delete out[name];
    else if (out[name] !== undefined) out[name] = resolveTimeWord(out[name], nowMs);
  }
  return out;
}

function toSummary(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  const names = toList(value);
  if (!Array.isArray(names)) return value;
  if (names.length === 0) return false;
  const one = bool().safeParse(names.length === 1 ? names[0] : undefined);
  return one.success ? one.data : names;
}

/** The query for an edge that the store orders by time. */
export function storeQuery(paging: Paging, options: { ascending?: boolean } = {}): PageQuery {
  return {
    limit: paging.limit,
    ...(options.ascending ? { ascending: true } : {}),
    ...defined({
      after: paging.after,
      before: paging.before,
      offset: paging.offset,
      sinceScore: paging.since,
      untilScore: paging.until,
    }),
  };
}

export interface Rows {
  readonly rows: readonly { readonly row: unknown; readonly cursor: string }[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Cursors to continue from when all rows were filtered out; otherwise those of the first and last row are used. */
  readonly firstCursor?: string;
  readonly lastCursor?: string;
}

export const NO_ROWS: Rows = { rows: [], hasNext: false, hasPrevious: false };

/** Joins a page of an edge with its rows; entries whose row is `undefined` are skipped. */
export function rowsOf(page: EdgePage, rows: readonly unknown[]): Rows {
  const first = page.entries[0]?.cursor;
  const last = page.entries[page.entries.length - 1]?.cursor;
  return {
    rows: page.entries.flatMap((entry, index) =>
      rows[index] === undefined ? [] : [{ row: rows[index], cursor: entry.cursor }],
    ),
    hasNext: page.hasNext,
    hasPrevious: page.hasPrevious,
    ...defined({ firstCursor: first, lastCursor: last }),
  };
}

/** Pages a short in-memory list; the cursor is the key of the row. */
export function pageOfList<Row>(list: readonly Row[], keyOf: (row: Row) => string, paging: Paging): Rows {
  const place = (cursor: string): number => {
    const key = Buffer.from(cursor, 'base64url').toString();
    const found = list.findIndex((row) => keyOf(row) === key);
    if (found < 0) throw parameterError('Invalid cursors values');
    return found;
  };
  const from = paging.after === undefined ? 0 : place(paging.after) + 1;
  const to = paging.before === undefined ? list.length : place(paging.before);
  const backward = paging.before !== undefined && paging.after === undefined;
  const start = backward ? Math.max(from, to - paging.limit) : from + (paging.offset ?? 0);
  const end = backward ? to : Math.min(to, start + paging.limit);
  return {
    rows: list.slice(start, end).map((row) => ({ row, cursor: Buffer.from(keyOf(row)).toString('base64url') })),
    hasNext: end < list.length,
    hasPrevious: start > 0,
  };
}

/** Path and parameters of the list, for its paging links. */
export interface ListAddress {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function pagingEnvelope(rows: Rows, limit: number, address: ListAddress, call: Call): object | undefined {
  // Prefer cursors of returned rows; a skipped entry's cursor is used only when every row was filtered out.
  const shown = rows.rows;
  if (shown.length === 0 && !rows.hasNext && !rows.hasPrevious) return undefined;
  const before = shown[0]?.cursor ?? rows.firstCursor;
  const after = shown[shown.length - 1]?.cursor ?? rows.lastCursor;
  if (before === undefined || after === undefined) return undefined;
  return {
    cursors: { before, after },
    ...(rows.hasNext ? { next: listUrl(address, { limit, after }, call) } : {}),
    ...(rows.hasPrevious ? { previous: listUrl(address, { limit, before }, call) } : {}),
  };
}

const NOT_REPEATED: ReadonlySet<string> = new Set([
  'access_token',
  'after',
  'before',
  'offset',
  'limit',
  'method',
  'batch',
]);

/** Repeats the token only if it came in the query or body: one from a header must not end up in logged URLs. */
function listUrl(address: ListAddress, own: { limit: number; after?: string; before?: string }, call: Call): string {
  const query = new URLSearchParams();
  if (call.token && call.token.carrier !== 'header') query.set('access_token', call.token.value);
  for (const [name, value] of Object.entries(address.params)) {
    if (NOT_REPEATED.has(name) || value === undefined || value === null) continue;
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  for (const [name, value] of Object.entries(own)) query.set(name, String(value));
  return `${call.originOf()}/${call.version}/${address.path}?${query.toString()}`;
}
