/** Error records of a broadcast or a video, and of all logs of an owner: fields, filters and edges. */

import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import { type EdgeName, edgeOf, logIdOf, ownedVideos, type RecordPage, type RecordQuery } from '../../ports/index.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { type ErrorView, errorView, FAMILIES, familyOf, type RecordSubject } from '../../spec/error-view.js';
import { openSinceMs } from '../../spec/open-time.js';
import { ELIGIBILITY, parameterError, SUBCODES } from '../../spec/service-errors.js';
import type { Call } from '../graph/call.js';
import { defineEdge, type EdgeRead } from '../graph/edge.js';
import { defineNodeType, type Field } from '../graph/node-type.js';
import { type ObjectKeys, objectKeys } from '../graph/object-keys.js';
import type { Paging, Rows } from '../graph/paging.js';
import { type ErrorNode, subjectOf } from '../graph/record-nodes.js';
import { graphTime } from '../graph/values.js';
import { bool, int, list, oneOf } from '../params/kinds.js';

// ---------------------------------------------------------------- fields

/** A row of an `errors` edge. */
export interface RecordRow {
  readonly record: StoredRecord;
  readonly view: ErrorView;
}

export const recordRow = (record: StoredRecord, subject: RecordSubject): RecordRow => ({
  record,
  view: errorView(record, subject),
});

type ViewKey = keyof ErrorView;

const ROWS: readonly (readonly [ViewKey, string, string])[] = [
  ['id', 'numeric string', 'Id of the record.'],
  ['sequence', 'int', 'Number of the record within its broadcast, in the order raised, without gaps.'],
  ['revision', 'int', 'Incremented by every raise, repeat and clear; pass the last one as after_revision.'],
  ['error_code', 'int', 'Code in the error catalog.'],
  ['error_subcode', 'string or int', 'The published subcode.'],
  ['error_type', 'string', 'Type in the error catalog.'],
  ['error_family', 'stream or info', 'Type in the public conventions: `info` where the severity is info.'],
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
  [
    'open_ms',
    'int',
    'Sum of the intervals in which it was open, in milliseconds; the one since open_since is not in it.',
  ],
  [
    'open_since',
    'datetime',
    'When it was last raised; absent once it is cleared. The time since then adds to open_ms.',
  ],
  ['broadcast_id', 'numeric string', 'The live video; absent for an uploaded video.'],
  ['video_id', 'numeric string', 'The video: of a broadcast, its Video while it exists.'],
  ['evidence', 'object', 'First and last packet that show the error.'],
  ['track', 'int', 'Video track of a stream with several; absent: the first one, or the whole stream.'],
  ['cause', 'int', 'Code of the record that explains this one: 6901 to 6908. Absent while no cause is known.'],
  [
    'changes',
    'list<object>',
    'Of 6403: `{setting, before, after}` for each setting that differs from the first ones; of 6508: from what is on air.',
  ],
  ['match', 'object', 'Of 6602: reference, Page, start and length in the stream, offset in the reference, error rate.'],
  ['forward', 'numeric string', 'Of 6511 to 6513: id of the forward.'],
  ['input_stream', 'numeric string', 'Id of the input stream, of a live video with two.'],
  ['refusal', 'object', 'Of 6102: code, subcode and HTTP status of the same refusal in this interface.'],
  ['address', 'string', 'Of 6102: address of the refused encoder.'],
  ['encoder', 'string', 'Of 6102: name that the refused encoder gave.'],
  ['source', 'stream, service or publish', 'What the record is about; `publish`: a refused publish.'],
  ['spec', 'string', 'The specification that it was judged by: `published`, or name and hash of a file of bounds.'],
];

const PACKET = 'kind,decodeTimeMs,presentationTimeMs,messageNumber,byteOffset,nalTypes';

const KEYS: { readonly [name in ViewKey]?: ObjectKeys } = {
  evidence: objectKeys(`first{${PACKET}},last{${PACKET}}`),
  changes: objectKeys('setting,before,after'),
  match: objectKeys(`
    reference_id,page_id,policy,start_ms,offset_ms,length_ms,
    error_rate,confidence,pictures_compared,pictures_alike`),
  refusal: objectKeys('code,subcode,status'),
};

/** With `date_format`, every time follows it. */
const TIMES: { readonly [name in ViewKey]?: (record: StoredRecord) => number | undefined } = {
  creation_time: ({ timestampMs }) => timestampMs,
  timestamp: ({ timestampMs }) => timestampMs,
  cleared_time: ({ cleared_time_ms: ms }) => ms ?? undefined,
  open_since: openSinceMs,
};

function valueIn({ record, view }: RecordRow, name: ViewKey, call: Call): unknown {
  const time = call.params.date_format === undefined ? undefined : TIMES[name];
  return time === undefined ? view[name] : graphTime(time(record), call);
}

/** The wire form. */
export function recordView(row: RecordRow, call: Call): object {
  return Object.fromEntries(ROWS.map(([name]) => [name, valueIn(row, name, call)]));
}

function typeOf<Row>(node: 'error' | undefined, recordOf: (row: Row) => RecordRow) {
  return defineNodeType<Row>({
    typeName: 'LiveVideoError',
    ...defined({ node }),
    idOf: (row) => recordOf(row).record.id,
    fields: Object.fromEntries(
      ROWS.map(([name, type, description]): [string, Field<Row>] => [
        name,
        {
          type,
          description,
          isDefault: true,
          ...defined({ keys: KEYS[name] }),
          read: (row, call) => valueIn(recordOf(row), name, call),
        },
      ]),
    ),
  });
}

/** Rows of an `errors` edge. */
export const errorType = typeOf<RecordRow>(undefined, (row) => row);

/** `GET /{error-id}` */
export const errorNodeType = typeOf<ErrorNode>('error', (node) => node.data);

// ---------------------------------------------------------------- filters

type Words = readonly [string, ...string[]];

const words = (values: readonly (string | number)[]): Words => {
  const [first = '', ...rest] = [...new Set(values.map(String))];
  return [first, ...rest];
};
/** JSON lists hold codes as numbers. */
const word = (values: Words) => z.preprocess((each) => (typeof each === 'number' ? String(each) : each), oneOf(values));
const some = (values: Words) => list(word(values), { max: 100 }).optional();

const SUBCODE_WORDS = words([
  ...Object.keys(SUBCODES),
  ELIGIBILITY.tooYoung.subcode,
  ELIGIBILITY.tooFewFollowers.subcode,
  // Faults of an uploaded file that became a video.
  ...CATALOGUE.filter(({ judgedBy }) => judgedBy === 'file').map(({ code }) => code),
]);

export const errorParams = z.object({
  severity: oneOf(['error', 'warning', 'info']).optional(),
  open: bool().optional(),
  error_code: some(words(CATALOGUE.map(({ code }) => code))),
  error_type: some(words([...CATALOGUE.map(({ type }) => type), ...FAMILIES])),
  error_subcode: some(SUBCODE_WORDS),
  source: some(['stream', 'service', 'publish']),
  after_revision: int({ min: 0 }).optional(),
});

export type ErrorParams = z.output<typeof errorParams>;

/** The filters that the store has no index for. `undefined`: none is set. */
export function filterOf(params: ErrorParams): ((record: StoredRecord) => boolean) | undefined {
  const { error_code: codes, error_type: types, error_subcode: subcodes, source: sources } = params;
  if (!codes && !types && !subcodes && !sources) return undefined;
  const isIn = (values: readonly string[] | undefined, value: string | number) =>
    values === undefined || values.includes(String(value));
  return (record) =>
    isIn(codes, record.error_code) &&
    (isIn(types, record.error_type) || isIn(types, familyOf(record))) &&
    isIn(subcodes, record.error_subcode) &&
    isIn(sources, record.source);
}

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

// ---------------------------------------------------------------- the records of one log

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
  const wanted = filterOf(params);
  // Refused publishes contain addresses: only callers who may read the stream key get them.
  const ofStream = (record: StoredRecord) => record.source !== 'publish' && (wanted === undefined || wanted(record));
  const page = await filteredPage(ask, query, subject.logId === undefined ? wanted : ofStream);
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

// ---------------------------------------------------------------- the records of an owner

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
    rows.push({ record: first.head, logId: first.place.logId, cursor: cursorAt(first.place) });
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

function cursorAt({ ms, logId, sequence }: Place): string {
  return Buffer.from(`o${ms}.${logId}.${sequence}`).toString('base64url');
}

function placeIn(cursor: string): Place {
  const match = /^o(\d{1,15})\.(\d{1,20})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) throw parameterError('Invalid cursors values');
  return { ms: Number(match[1]), logId: match[2] ?? '', sequence: Number(match[3]) };
}
