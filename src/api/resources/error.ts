/** Error records of a broadcast or video: newest first, or by revision with `after_revision`. */

import { z } from 'zod';
import type { RecordPage, RecordQuery, RecordStore } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { errorView } from '../../spec/error-view.js';
import { parameterError } from '../../spec/service-errors.js';
import { defineEdge, type EdgeRead } from '../graph/edge.js';
import { defineNodeType, type Field } from '../graph/node-type.js';
import type { Paging, Rows, TextRows } from '../graph/paging.js';
import { bool, int, oneOf } from '../params/kinds.js';

type ViewKey = keyof ReturnType<typeof errorView> | 'cleared_time';

const ROWS: readonly (readonly [ViewKey, string, string])[] = [
  ['id', 'numeric string', 'Id of the record.'],
  ['sequence', 'int', 'Number of the record within its broadcast, in the order raised, without gaps.'],
  ['revision', 'int', 'Incremented by every raise, repeat and clear; pass the last one as after_revision.'],
  ['error_code', 'int', 'Code in the error catalog.'],
  ['error_subcode', 'string or int', 'The published subcode.'],
  ['error_type', 'string', 'Type in the error catalog.'],
  ['error_message', 'string', 'Observed value, bound, and what to change.'],
  ['description', 'string', 'The same text as error_message.'],
  ['severity', 'error, warning or info', 'Violated requirements are errors, violated recommendations are warnings.'],
  ['creation_time', 'datetime', 'When the record was raised.'],
  ['timestamp', 'datetime', 'The same instant, with milliseconds.'],
  ['stream_time_ms', 'int', 'Media time of the stream when the record was raised, in milliseconds.'],
  ['observed', 'number, string or bool', 'Value observed when the record was raised.'],
  ['worst', 'number, string or bool', 'Worst value observed while the record was open.'],
  ['limit', 'number, string or bool', 'The bound.'],
  ['unit', 'string', 'Unit of observed, worst and limit.'],
  ['clause', 'string', 'Clause of the specification.'],
  ['remediation', 'string', 'What to change in the encoder.'],
  ['cleared_time', 'datetime', 'When the record was cleared; absent while it is open.'],
  ['count', 'int', 'Number of times raised; a raise within a minute of clearing counts here.'],
  ['evidence', 'object', 'First and last packet that show the error.'],
  ['changes', 'list<object>', 'Of 6403: `{setting, before, after}` for each setting that differs from the first ones.'],
  ['refusal', 'object', 'Of 6102: code, subcode and HTTP status of the same refusal in this interface.'],
  ['address', 'string', 'Of 6102: address of the refused encoder.'],
  ['encoder', 'string', 'Of 6102: name that the refused encoder gave.'],
  ['source', 'stream, service or publish', 'What the record is about; `publish`: a refused publish.'],
];

export const errorType = defineNodeType<StoredRecord>({
  typeName: 'LiveVideoError',
  idOf: (record) => record.id,
  renderDefault: (record) => errorView(record),
  fields: Object.fromEntries(
    ROWS.map(([name, type, description]): [string, Field<StoredRecord>] => [
      name,
      { type, description, isDefault: true, read: (record) => (errorView(record) as Record<string, unknown>)[name] },
    ]),
  ),
});

export const errorParams = z.object({
  severity: oneOf(['error', 'warning', 'info']).optional(),
  open: bool().optional(),
  after_revision: int({ min: 0 }).optional(),
});

type ErrorParams = z.output<typeof errorParams>;

/** `recordsId` returns the id that the records are stored under: the broadcast's, also for its Video. */
export function errorsEdge<Data>(recordsId: (id: string, data: Data) => string) {
  return defineEdge<Data, typeof errorParams>({
    row: errorType,
    params: errorParams,
    read: async ({ call, owner, paging, params }) => {
      const id = recordsId(owner.id, owner.data);
      await call.services.recordsStored?.(id);
      return readRecords((query) => call.services.store.records.page(id, query), paging, params);
    },
    text: async ({ call, owner, paging, params }) => {
      const id = recordsId(owner.id, owner.data);
      const { store, recordsStored } = call.services;
      const pending = recordsStored?.(id);
      if (pending) await pending;
      const prefetched = pending ? undefined : call.loader.prefetchedRecordCounts(id);
      const { total, lastRevision } = prefetched ?? (await store.records.counts(id));
      const key = `${id} ${JSON.stringify([paging, params])}`;
      const state = `${total} ${lastRevision}`;
      const pages = pagesOf(store.records);
      const known = pages.get(key, state);
      if (known) return known;
      const page = await readRecords((query) => store.records.page(id, query), paging, params);
      const text = textRows(page);
      pages.set(key, state, text);
      return text;
    },
    summary: {
      defaults: ['total_count', 'open_count'],
      fields: {
        total_count: async (read) => (await counts(read, recordsId)).total,
        open_count: async (read) => (await counts(read, recordsId)).open,
        uncounted: async (read) => (await counts(read, recordsId)).uncounted,
        last_revision: async (read) => (await counts(read, recordsId)).lastRevision,
      },
    },
  });
}

async function counts<Data>(read: EdgeRead<Data, ErrorParams>, recordsId: (id: string, data: Data) => string) {
  const id = recordsId(read.owner.id, read.owner.data);
  await read.call.services.recordsStored?.(id);
  return read.call.services.store.records.counts(id);
}

async function readRecords(
  ask: (query: RecordQuery) => Promise<RecordPage>,
  paging: Paging,
  params: ErrorParams,
): Promise<Rows> {
  const query = recordQuery(paging, params);
  const page = await ask(query);
  const byRevision = query.afterRevision !== undefined;
  return {
    rows: page.records.map((record) => ({ row: record, cursor: cursorOf(record, byRevision) })),
    hasNext: page.hasNext,
    // Paging by revision is forward only: records seen before may have a newer revision now.
    hasPrevious: !byRevision && page.hasPrevious,
  };
}

function textRows({ rows, hasNext, hasPrevious }: Rows): TextRows {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  return {
    json: rows.map(({ row }) => JSON.stringify(errorView(row as StoredRecord))).join(','),
    hasNext,
    hasPrevious,
    ...(first && last ? { firstCursor: first.cursor, lastCursor: last.cursor } : {}),
  };
}

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
    this.#bytes += key.length + page.json.length - (this.#pages.get(key)?.page.json.length ?? 0);
    this.#pages.set(key, { state, page });
  }
}

const PAGE_CACHE_CHARACTERS = 16 * 1024 * 1024;
const caches = new WeakMap<RecordStore, PageCache>();

function pagesOf(store: RecordStore): PageCache {
  const known = caches.get(store);
  if (known) return known;
  const made = new PageCache();
  caches.set(store, made);
  return made;
}

function recordQuery(paging: Paging, params: ErrorParams): RecordQuery {
  const after = paging.after === undefined ? undefined : placeOf(paging.after);
  const before = paging.before === undefined ? undefined : placeOf(paging.before);
  if (before?.by === 'r') throw parameterError('Invalid cursors values');
  const byRevision = params.after_revision !== undefined || after?.by === 'r';
  const revision = after?.by === 'r' ? after.at : params.after_revision;
  return {
    limit: paging.limit,
    ...(byRevision && revision !== undefined ? { afterRevision: revision } : {}),
    ...(!byRevision && after ? { afterSequence: after.at } : {}),
    ...(!byRevision && before ? { beforeSequence: before.at } : {}),
    ...(params.severity === undefined ? {} : { severity: params.severity }),
    ...(params.open === undefined ? {} : { open: params.open }),
    ...(paging.since === undefined ? {} : { sinceMs: paging.since }),
    ...(paging.until === undefined ? {} : { untilMs: paging.until }),
  };
}

function cursorOf(record: StoredRecord, byRevision: boolean): string {
  const text = byRevision ? `r${record.revision}` : `s${record.sequence}`;
  return Buffer.from(text).toString('base64url');
}

function placeOf(cursor: string): { by: 's' | 'r'; at: number } {
  const match = /^([sr])(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw parameterError('Invalid cursors values');
  return { by: match[1] === 'r' ? 'r' : 's', at: Number(match[2]) };
}
