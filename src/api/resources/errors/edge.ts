/** Error records of a broadcast or video: newest first, or by revision with `after_revision`. */
import { defined } from '../../../lib/objects.js';
import { logIdOf, type RecordQuery } from '../../../ports/index.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import type { RecordSubject } from '../../../spec/error-view.js';
import { parameterError } from '../../../spec/service-errors.js';
import { defineEdge, type EdgeRead } from '../../graph/edge.js';
import type { Paging, Rows } from '../../graph/paging.js';
import { subjectOf } from '../../graph/record-nodes.js';
import { type ErrorParams, errorParams, filterOf } from './filter.js';
import { type AskRecords, filteredPage } from './read.js';
import { errorType, recordRow } from './view.js';

/** The records of a broadcast, also for its Video, or of an uploaded video. */
export const errorsEdge = defineEdge<unknown, typeof errorParams>({
  row: errorType,
  params: errorParams,
  read: async ({ call, owner, paging, params }) => {
    const subject = await subjectOf(call, owner.id);
    const id = logIdOf(subject);
    await call.services.recordsStored?.(id);
    return readRecords((query) => call.services.store.records.page(id, query), subject, paging, params);
  },
  version: async (call, owner) => {
    const subject = await subjectOf(call, owner.id);
    const id = logIdOf(subject);
    const pending = call.services.recordsStored?.(id);
    await pending;
    const prefetched = pending ? undefined : call.loader.prefetchedRecordCounts(id);
    return JSON.stringify([subject, prefetched ?? (await call.services.store.records.counts(id))]);
  },
  summary: {
    defaults: ['total_count', 'open_count'],
    fields: {
      total_count: async (read) => (await counts(read)).total,
      open_count: async (read) => (await counts(read)).open,
      uncounted: async (read) => (await counts(read)).uncounted,
      last_revision: async (read) => (await counts(read)).lastRevision,
    },
  },
});

async function counts({ call, owner }: EdgeRead<unknown, ErrorParams>) {
  const id = logIdOf(await subjectOf(call, owner.id));
  await call.services.recordsStored?.(id);
  return call.services.store.records.counts(id);
}

async function readRecords(
  ask: AskRecords,
  subject: RecordSubject,
  paging: Paging,
  params: ErrorParams,
): Promise<Rows> {
  const query = recordQuery(paging, params);
  const page = await filteredPage(ask, query, filterOf(params));
  const byRevision = query.afterRevision !== undefined;
  return {
    rows: page.records.map((record) => ({ row: recordRow(record, subject), cursor: cursorOf(record, byRevision) })),
    hasNext: page.hasNext,
    // Paging by revision is forward only: records seen before may have a newer revision now.
    hasPrevious: !byRevision && page.hasPrevious,
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
