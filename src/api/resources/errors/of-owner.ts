/** Error records of all broadcasts and uploads of an owner, newest first; also of those that were deleted. */
import { defined } from '../../../lib/objects.js';
import { type EdgeName, edgeOf, ownedVideos, type RecordQuery } from '../../../ports/index.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { parameterError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';
import { defineEdge } from '../../graph/edge.js';
import type { Paging } from '../../graph/paging.js';
import { subjectOf } from '../../graph/record-nodes.js';
import { errorParams, filterOf } from './filter.js';
import { filteredPage } from './read.js';
import { errorType, recordRow } from './view.js';

/** Logs per step of the walk over the lists of an owner. */
const LOGS_PER_READ = 500;
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
    const isBackward = paging.before !== undefined && paging.after === undefined;
    const cursor = isBackward ? paging.before : paging.after;
    const from = cursor === undefined ? undefined : placeIn(cursor);
    const { severity, open } = params;
    const query: Omit<RecordQuery, 'limit'> = defined({ severity, open, sinceMs: paging.since, untilMs: paging.until });
    const filter = filterOf(params);
    const logs = (await logsOf(call, owner.id)).map(
      ({ id }) => new LogReader(call, id, { ...query, ...boundOf(id, query, from, isBackward) }, filter, isBackward),
    );
    const page = await merged(logs, paging, isBackward);
    const rows = page.rows.map(async ({ record, logId, cursor }) => {
      return { row: recordRow(record, await subjectOf(call, logId)), cursor };
    });
    return { ...page, rows: await Promise.all(rows) };
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

interface Log {
  readonly id: string;
  readonly total: number;
  readonly open: number;
}

/** All logs of the owner that have records. */
async function logsOf(call: Call, ownerId: string): Promise<Log[]> {
  const lists = [edgeOf(ownerId, 'live_videos'), ownedVideos(ownerId), edgeOf(ownerId, 'deleted_videos')];
  const found = await Promise.all(lists.map((name) => logsIn(call, name)));
  return [...new Map(found.flat().map((log) => [log.id, log])).values()];
}

async function logsIn(call: Call, name: EdgeName): Promise<Log[]> {
  const { store, recordsStored } = call.services;
  const logs: Log[] = [];
  let after: string | undefined;
  do {
    const query = { limit: LOGS_PER_READ, ...defined({ after }) };
    const page = await store.objects.page(name, query);
    const read = await Promise.all(
      page.entries.map(async ({ member: id }) => {
        await recordsStored?.(id);
        const { total, open } = await store.records.counts(id);
        return { id, total, open };
      }),
    );
    logs.push(...read.filter(({ total }) => total > 0));
    await call.work.turn();
    call.work.check();
    after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
  } while (after !== undefined);
  return logs;
}

/** The records of one log beyond a place: newest first, or oldest first if `isBackward`. */
class LogReader {
  readonly #call: Call;
  readonly #id: string;
  readonly #filter: ((record: StoredRecord) => boolean) | undefined;
  readonly #isBackward: boolean;
  #query: Omit<RecordQuery, 'limit'>;
  #buffer: readonly StoredRecord[] = [];
  #next = -1;
  #hasMore = true;

  constructor(
    call: Call,
    id: string,
    query: Omit<RecordQuery, 'limit'>,
    filter: ((record: StoredRecord) => boolean) | undefined,
    isBackward: boolean,
  ) {
    this.#call = call;
    this.#id = id;
    this.#query = query;
    this.#filter = filter;
    this.#isBackward = isBackward;
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
    this.#buffer = this.#isBackward ? [...page.records].reverse() : page.records;
    this.#next = 0;
    this.#hasMore = this.#isBackward ? page.hasPrevious : page.hasNext;
    const last = this.#buffer.at(-1);
    if (last === undefined) return;
    this.#query = { ...this.#query, [this.#isBackward ? 'beforeSequence' : 'afterSequence']: last.sequence };
  }
}

/** In the log of the place its sequence is exact; the others are bounded by its time. */
function boundOf(
  id: string,
  { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER }: Omit<RecordQuery, 'limit'>,
  from: Place | undefined,
  isBackward: boolean,
): Partial<RecordQuery> {
  if (from === undefined) return {};
  if (isBackward) {
    if (id === from.logId) return { beforeSequence: from.sequence };
    // 0 is before the oldest record: the walk begins there.
    return { beforeSequence: 0, sinceMs: Math.max(sinceMs, id > from.logId ? from.ms : from.ms + 1) };
  }
  if (id === from.logId) return { afterSequence: from.sequence };
  return { untilMs: Math.min(untilMs, id < from.logId ? from.ms : from.ms - 1) };
}

interface Found {
  readonly record: StoredRecord;
  readonly logId: string;
  readonly cursor: string;
}

async function merged(logs: readonly LogReader[], { limit, after }: Paging, isBackward: boolean) {
  await Promise.all(logs.map((log) => log.advance(FIRST_READ)));
  const rows: Found[] = [];
  let first = firstOf(logs, isBackward);
  while (first?.head !== undefined && rows.length < limit) {
    rows.push({ record: first.head, logId: first.place.logId, cursor: cursorOf(first.place) });
    await first.advance(limit + 1);
    first = firstOf(logs, isBackward);
  }
  const hasMore = first !== undefined;
  // A page that a cursor leads to follows, or precedes, the page of the cursor.
  return isBackward
    ? { rows: rows.reverse(), hasNext: true, hasPrevious: hasMore }
    : { rows, hasNext: hasMore, hasPrevious: after !== undefined };
}

/** The log whose next record is the first in the direction of the walk. */
function firstOf(logs: readonly LogReader[], isBackward: boolean): LogReader | undefined {
  let first: LogReader | undefined;
  for (const log of logs) {
    if (log.head === undefined) continue;
    if (first === undefined || isNewer(log.place, first.place) !== isBackward) first = log;
  }
  return first;
}

function isNewer(a: Place, b: Place): boolean {
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
