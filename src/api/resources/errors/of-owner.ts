/** Error records of all broadcasts and uploads of an owner, newest first; also of those that were deleted. */
import { edgeOf, ownedVideos, type RecordQuery } from '../../../ports/index.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { parameterError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';
import { defineEdge } from '../../graph/edge.js';
import type { Paging, Rows } from '../../graph/paging.js';
import { errorParams, filterOf } from './filter.js';
import { filteredPage } from './read.js';
import { errorType } from './view.js';

/** Logs of an owner that one call reads, newest of each list first: a first page reads each of them once. */
const LOGS_MAX = 500;
/** Records of the first read of a log: of most logs no more than one is on the page. */
const FIRST_READ = 2;

const ownerErrorParams = errorParams.omit({ after_revision: true });

/** Place in the merged order: by time, then by log, then by sequence, each descending. */
interface Place {
  readonly ms: number;
  readonly logId: string;
  readonly sequence: number;
}

export const ownerErrorsEdge = defineEdge<unknown, typeof ownerErrorParams>({
  row: errorType,
  params: ownerErrorParams,
  read: async ({ call, owner, paging, params }) => {
    if (paging.before !== undefined) throw parameterError('Invalid cursors values');
    const from = paging.after === undefined ? undefined : placeIn(paging.after);
    const { severity, open } = params;
    const query: Omit<RecordQuery, 'limit'> = {
      ...(severity === undefined ? {} : { severity }),
      ...(open === undefined ? {} : { open }),
      ...(paging.since === undefined ? {} : { sinceMs: paging.since }),
      ...(paging.until === undefined ? {} : { untilMs: paging.until }),
    };
    const filter = filterOf(params);
    const logs = (await logsOf(call, owner.id)).map(({ id }) => new LogReader(call, id, query, filter, from));
    return merged(logs, paging);
  },
  summary: {
    defaults: ['total_count', 'open_count'],
    fields: {
      total_count: async ({ call, owner }) => sum((await logsOf(call, owner.id)).map(({ total }) => total)),
      open_count: async ({ call, owner }) => sum((await logsOf(call, owner.id)).map(({ open }) => open)),
    },
  },
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Logs with records, of which the newest `LOGS_MAX` of each list are looked at. */
async function logsOf(call: Call, ownerId: string): Promise<{ id: string; total: number; open: number }[]> {
  const { store, recordsStored } = call.services;
  const lists = [edgeOf(ownerId, 'live_videos'), ownedVideos(ownerId), edgeOf(ownerId, 'deleted_videos')];
  const pages = await store.objects.pages(lists.map((name) => ({ name, query: { limit: LOGS_MAX } })));
  const ids = [...new Set(pages.flatMap(({ entries }) => entries.map(({ member }) => member)))];
  const logs = await Promise.all(
    ids.map(async (id) => {
      await recordsStored?.(id);
      const { total, open } = await store.records.counts(id);
      return { id, total, open };
    }),
  );
  call.work.check();
  return logs.filter(({ total }) => total > 0);
}

/** The records of one log below a place, in order. */
class LogReader {
  readonly #call: Call;
  readonly #id: string;
  readonly #filter: ((record: StoredRecord) => boolean) | undefined;
  #query: Omit<RecordQuery, 'limit'>;
  #buffer: readonly StoredRecord[] = [];
  #next = -1;
  #hasMore = true;

  constructor(
    call: Call,
    id: string,
    query: Omit<RecordQuery, 'limit'>,
    filter: ((record: StoredRecord) => boolean) | undefined,
    from: Place | undefined,
  ) {
    this.#call = call;
    this.#id = id;
    this.#filter = filter;
    this.#query = { ...query, ...boundOf(id, query, from) };
  }

  get head(): StoredRecord | undefined {
    return this.#buffer[this.#next];
  }

  get place(): Place {
    return { ms: this.head?.timestampMs ?? -1, logId: this.#id, sequence: this.head?.sequence ?? 0 };
  }

  /** Makes `head` the first record, or the next one. */
  async advance(limit: number): Promise<void> {
    this.#next += 1;
    if (this.#next < this.#buffer.length || !this.#hasMore) return;
    const { records } = this.#call.services.store;
    const page = await filteredPage((query) => records.page(this.#id, query), { ...this.#query, limit }, this.#filter);
    const last = page.records.at(-1);
    this.#buffer = page.records;
    this.#next = 0;
    this.#hasMore = page.hasNext;
    if (last !== undefined) this.#query = { ...this.#query, afterSequence: last.sequence };
  }
}

/** In the log of the place its sequence is exact; the others are bounded by its time. */
function boundOf(id: string, { untilMs }: Omit<RecordQuery, 'limit'>, from: Place | undefined): Partial<RecordQuery> {
  if (from === undefined) return {};
  if (id === from.logId) return { afterSequence: from.sequence };
  return { untilMs: Math.min(untilMs ?? Number.MAX_SAFE_INTEGER, id < from.logId ? from.ms : from.ms - 1) };
}

async function merged(logs: readonly LogReader[], { limit }: Paging): Promise<Rows> {
  await Promise.all(logs.map((log) => log.advance(FIRST_READ)));
  const rows: { row: StoredRecord; cursor: string }[] = [];
  for (;;) {
    const newest = newestOf(logs);
    const row = newest?.head;
    if (newest === undefined || row === undefined) {
      return { rows, hasNext: false, hasPrevious: false };
    }
    if (rows.length >= limit) return { rows, hasNext: true, hasPrevious: false };
    rows.push({ row, cursor: cursorOf(newest.place) });
    await newest.advance(limit + 1);
  }
}

function newestOf(logs: readonly LogReader[]): LogReader | undefined {
  let newest: LogReader | undefined;
  for (const log of logs) {
    if (log.head !== undefined && (newest === undefined || isAfter(log.place, newest.place))) newest = log;
  }
  return newest;
}

function isAfter(a: Place, b: Place): boolean {
  return a.ms === b.ms ? a.logId > b.logId : a.ms > b.ms;
}

function cursorOf({ ms, logId, sequence }: Place): string {
  return Buffer.from(`o${ms}.${logId}.${sequence}`).toString('base64url');
}

function placeIn(cursor: string): Place {
  const match = /^o(\d{1,15})\.(\d{1,20})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) throw parameterError('Invalid cursors values');
  return { ms: Number(match[1]), logId: match[2] ?? '', sequence: Number(match[3]) };
}
