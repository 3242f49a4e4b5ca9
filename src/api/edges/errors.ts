/** Error records of a broadcast or a video: newest first, or with `after_revision` in the order of change. */
import { z } from 'zod';
import type { RecordPage, RecordQuery } from '../../ports.js';
import type { StoredRecord } from '../../spec/error-record.js';
import type { RouteKey } from '../../spec/graph.js';
import { parameterError } from '../../spec/service-errors.js';
import { defineEdge, type EdgeRead } from '../graph/edge.js';
import type { Paging, Rows } from '../graph/paging.js';
import { errorKind } from '../nodes/error.js';
import { bool, int, oneOf } from '../params/kinds.js';

export const errorParams = z.object({
  severity: oneOf(['error', 'warning', 'info']).optional(),
  open: bool().optional(),
  after_revision: int({ min: 0 }).optional(),
});

type ErrorParams = z.output<typeof errorParams>;

/** `recordsId`: under which id the records lie — the broadcast's, also for its Video. */
export function errorsEdge<Data>(route: RouteKey, recordsId: (id: string, data: Data) => string) {
  return defineEdge<Data, typeof errorParams>({
    route,
    row: errorKind,
    params: errorParams,
    read: ({ call, owner, paging, params }) =>
      readRecords((query) => call.services.store.records(recordsId(owner.id, owner.data), query), paging, params),
    summary: {
      given: ['total_count', 'open_count'],
      fields: {
        total_count: async (read) => (await counts(read, recordsId)).total,
        open_count: async (read) => (await counts(read, recordsId)).open,
        uncounted: async (read) => (await counts(read, recordsId)).uncounted,
        last_revision: async (read) => (await counts(read, recordsId)).lastRevision,
      },
    },
  });
}

function counts<Data>(read: EdgeRead<Data, ErrorParams>, recordsId: (id: string, data: Data) => string) {
  return read.call.services.store.recordCounts(recordsId(read.owner.id, read.owner.data));
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
    hasPrevious: page.hasPrevious,
  };
}

function recordQuery(paging: Paging, params: ErrorParams): RecordQuery {
  const after = paging.after === undefined ? undefined : placeOf(paging.after);
  const before = paging.before === undefined ? undefined : placeOf(paging.before);
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
