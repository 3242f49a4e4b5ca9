/** Error records of a broadcast or video: newest first, or by revision with `after_revision`. */
import { defined } from '../../../lib/objects.js';
import type { RecordQuery } from '../../../ports/index.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { parameterError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';
import { defineEdge, type EdgeRead } from '../../graph/edge.js';
import type { Paging, Rows, TextRows } from '../../graph/paging.js';
import { type ErrorParams, errorParams, filterOf } from './filter.js';
import { pagesOf } from './page-cache.js';
import { type AskRecords, filteredPage } from './read.js';
import { errorType, recordView } from './view.js';

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
      const key = `${id} ${JSON.stringify([paging, params, call.params.date_format])}`;
      const state = `${total} ${lastRevision}`;
      const pages = pagesOf(store.records);
      const known = pages.get(key, state);
      if (known) return known;
      const page = await readRecords((query) => store.records.page(id, query), paging, params);
      const text = textRows(page, call);
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

async function readRecords(ask: AskRecords, paging: Paging, params: ErrorParams): Promise<Rows> {
  const query = recordQuery(paging, params);
  const page = await filteredPage(ask, query, filterOf(params));
  const byRevision = query.afterRevision !== undefined;
  return {
    rows: page.records.map((record) => ({ row: record, cursor: cursorOf(record, byRevision) })),
    hasNext: page.hasNext,
    // Paging by revision is forward only: records seen before may have a newer revision now.
    hasPrevious: !byRevision && page.hasPrevious,
  };
}

function textRows({ rows, hasNext, hasPrevious }: Rows, call: Call): TextRows {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  return {
    json: rows.map(({ row }) => JSON.stringify(recordView(row as StoredRecord, call))).join(','),
    hasNext,
    hasPrevious,
    ...(first && last ? { firstCursor: first.cursor, lastCursor: last.cursor } : {}),
  };
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
    ...defined({ severity: params.severity, open: params.open, sinceMs: paging.since, untilMs: paging.until }),
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
