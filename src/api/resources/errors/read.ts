/** Reads pages of error records with every filter. */
import type { RecordPage, RecordQuery } from '../../../ports/index.js';
import type { StoredRecord } from '../../../spec/error-record.js';

export type AskRecords = (query: RecordQuery) => Promise<RecordPage>;

/** Records per read while filtering: 20 reads for the longest log. */
const SCAN = 500;

/** A page of the records that pass the filter, in the order of the query. */
export async function filteredPage(
  ask: AskRecords,
  query: RecordQuery,
  filter: ((record: StoredRecord) => boolean) | undefined,
): Promise<RecordPage> {
  if (filter === undefined) return ask(query);
  const backward = query.beforeSequence !== undefined && query.afterSequence === undefined;
  const found: StoredRecord[] = [];
  let next: RecordQuery = { ...query, limit: SCAN };
  for (;;) {
    const page = await ask(next);
    const passed = page.records.filter(filter);
    if (backward) found.unshift(...passed);
    else found.push(...passed);
    const last = backward ? page.records[0] : page.records.at(-1);
    const isMore = backward ? page.hasPrevious : page.hasNext;
    if (found.length > query.limit || !isMore || last === undefined) break;
    next = continued(next, last, backward);
  }
  const more = found.length > query.limit;
  const started = query.afterSequence !== undefined || query.beforeSequence !== undefined;
  const records = backward ? found.slice(-query.limit || found.length) : found.slice(0, query.limit);
  return { records, hasNext: backward ? started : more, hasPrevious: backward ? more : started };
}

function continued(query: RecordQuery, last: StoredRecord, backward: boolean): RecordQuery {
  if (query.afterRevision !== undefined) return { ...query, afterRevision: last.revision };
  return backward ? { ...query, beforeSequence: last.sequence } : { ...query, afterSequence: last.sequence };
}
