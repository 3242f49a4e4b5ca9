/** Error records as rows and as nodes. */
import { defined } from '../../../lib/objects.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { type ErrorView, errorView, type RecordSubject } from '../../../spec/error-view.js';
import { openSinceMs } from '../../../spec/open-time.js';
import type { Call } from '../../graph/call.js';
import { defineNodeType, type Field } from '../../graph/node-type.js';
import { type ObjectKeys, objectKeys } from '../../graph/object-keys.js';
import type { ErrorNode } from '../../graph/record-nodes.js';
import { graphTime } from '../../graph/values.js';

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
  ['changes', 'list<object>', 'Of 6403: `{setting, before, after}` for each setting that differs from the first ones.'],
  ['match', 'object', 'Of 6602: reference, Page, start and length in the stream, offset in the reference, error rate.'],
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
