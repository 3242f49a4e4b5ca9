/** Error records: the default set is the whole record. */

import type { StoredRecord } from '../../spec/error-record.js';
import { errorView } from '../../spec/error-view.js';
import { defineNodeType, type Field } from '../graph/node-type.js';

type ViewKey = keyof ReturnType<typeof errorView> | 'cleared_time';

const ROWS: readonly (readonly [ViewKey, string, string])[] = [
  ['id', 'numeric string', 'The record.'],
  ['sequence', 'int', 'Counts the records of the broadcast in the order of raising, without gaps.'],
  ['revision', 'int', 'Counts every raise, count and clear; a reader goes on with after_revision.'],
  ['error_code', 'int', 'The row of the error catalogue.'],
  ['error_subcode', 'string or int', 'The published subcode.'],
  ['error_type', 'string', 'The name of the row.'],
  ['error_message', 'string', 'What was observed, the bound, what to change.'],
  ['description', 'string', 'The same text as error_message.'],
  ['severity', 'error, warning or info', 'Must rules give error, recommendations warning.'],
  ['creation_time', 'datetime', 'When it was raised.'],
  ['timestamp', 'datetime', 'The same instant, with milliseconds.'],
  ['stream_time_ms', 'int', 'Media time of the stream when it was raised.'],
  ['observed', 'number, string or bool', 'What was seen when it was raised.'],
  ['worst', 'number, string or bool', 'The worst that was seen while it lasted.'],
  ['limit', 'number, string or bool', 'The bound.'],
  ['unit', 'string', 'Unit of observed, worst and limit.'],
  ['clause', 'string', 'The clause of the specification.'],
  ['remediation', 'string', 'What to change in the encoder.'],
  ['cleared_time', 'datetime', 'When it was over; absent while it lasts.'],
  ['count', 'int', 'How often it was raised within a minute of clearing.'],
  ['evidence', 'object', 'First and last packet that prove it.'],
  ['source', 'stream or service', 'Who found it.'],
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
