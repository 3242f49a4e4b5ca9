/** What an encoder is told of a record's changes: each turn once, and never that something is over which is not. */

import type { RecordNotice } from '../../../src/broadcasts/publisher.js';
import { RecordNotifier } from '../../../src/broadcasts/record-notifier.js';
import type { RecordBody, RecordChange } from '../../../src/spec/error-record.js';
import { judgeStream } from '../../rules/harness.js';

const { changes, judge } = judgeStream({ durationMs: 1000, channels: 1 });
const bodyOf = (code: number): RecordBody => {
  const found = changes.find(({ body }) => body.error_code === code);
  if (found === undefined) throw new Error(`no ${code}`);
  return found.body;
};
const change = (kind: RecordChange['change'], body = bodyOf(6304)): RecordChange => ({ change: kind, body });

function pusher() {
  const said: string[] = [];
  return {
    said,
    told: new RecordNotifier('1', ({ kind, record }) => said.push(`${kind} ${record.error_code}`)),
  };
}
const RAISED = 'violation 6304';
const CLEARED = 'cleared 6304';

test('raised, counted while it lasts, cleared: said when raised and when cleared', () => {
  const { said, told } = pusher();
  told.tell(change('raised'), 0);
  told.tell(change('counted'), 5000);
  told.tell(change('counted'), 9000);
  told.tell(change('cleared'), 20_000);
  expect(said).toEqual([RAISED, CLEARED]);
});

test('counted after it was cleared is said again: it is back', () => {
  const { said, told } = pusher();
  told.tell(change('raised'), 0);
  told.tell(change('cleared'), 10_000);
  told.tell(change('counted'), 20_000);
  told.tell(change('counted'), 30_000);
  expect(said).toEqual([RAISED, CLEARED, RAISED]);
});

test('a connection that comes back is told what was only counted for the one before', () => {
  const { said, told } = pusher();
  told.tell(change('counted'), 0);
  expect(said).toEqual([RAISED]);
});

test('what was left open is told once there is data, but for what that cleared', () => {
  const { said } = pusher();
  const send = ({ kind, record }: RecordNotice) => said.push(`${kind} ${record.error_code}`);
  const told = new RecordNotifier('1', send, [6304, 6205]);
  told.tellLeftOpen({ health: () => ({ ...judge.health(), openErrors: [6304] }), lastRecord: bodyOf }, 0);
  told.tell(change('counted'), 5000);
  expect(said).toEqual([RAISED]);
});

test('at most one a second, the latest word: a clearing that is overtaken is never said', () => {
  const { said, told } = pusher();
  told.tell(change('raised'), 0);
  told.tell(change('cleared'), 500);
  told.tell(change('counted'), 700);
  told.flush(2000);
  expect(said).toEqual([RAISED]);
  told.tell(change('cleared'), 2100);
  told.tell(change('counted'), 2200);
  told.flush(3200);
  expect(said).toEqual([RAISED, CLEARED, RAISED]);
});

test('what is only information is not said', () => {
  const { said, told } = pusher();
  told.tell(change('raised', { ...bodyOf(6304), severity: 'info' }), 0);
  expect(said).toEqual([]);
});
