/** Notices to the encoder: one per raise and per clearing, and never a clearing of a record that is open again. */

import type { RecordNotice } from '../../../src/broadcasts/publisher/publisher.js';
import { RecordNotifier } from '../../../src/broadcasts/record-notifier.js';
import type { RecordBody, RecordChange } from '../../../src/spec/error-record.js';
import { judgeStream } from '../../rules/harness.js';

const { changes } = judgeStream({ durationMs: 1000, channels: 1 });
const bodyOf = (code: number): RecordBody => {
  const found = changes.find(({ body }) => body.error_code === code);
  if (found === undefined) throw new Error(`no ${code}`);
  return found.body;
};
const change = (kind: RecordChange['change'], body = bodyOf(6304)): RecordChange => ({ change: kind, body });

function newNotifier() {
  const said: string[] = [];
  return {
    said,
    notifier: new RecordNotifier('1', { notify: ({ kind, record }) => said.push(`${kind} ${record.error_code}`) }),
  };
}
const RAISED = 'violation 6304';
const CLEARED = 'cleared 6304';

test('notifies of a raise and of a clearing, not of the counts between them', () => {
  const { said, notifier } = newNotifier();
  notifier.notify(change('raised'), 0);
  notifier.notify(change('counted'), 5000);
  notifier.notify(change('counted'), 9000);
  notifier.notify(change('cleared'), 20_000);
  expect(said).toEqual([RAISED, CLEARED]);
});

test('notifies again of a count after a clearing', () => {
  const { said, notifier } = newNotifier();
  notifier.notify(change('raised'), 0);
  notifier.notify(change('cleared'), 10_000);
  notifier.notify(change('counted'), 20_000);
  notifier.notify(change('counted'), 30_000);
  expect(said).toEqual([RAISED, CLEARED, RAISED]);
});

test('notifies a new connection of a record that was raised on an earlier one', () => {
  const { said, notifier } = newNotifier();
  notifier.notify(change('counted'), 0);
  expect(said).toEqual([RAISED]);
});

test('notifies of records left open once data flows, except of those that the data cleared', () => {
  const { said } = newNotifier();
  const notify = ({ kind, record }: RecordNotice) => said.push(`${kind} ${record.error_code}`);
  const notifier = new RecordNotifier('1', { notify }, [6304, 6205]);
  notifier.notifyLeftOpen({ openErrors: [6304], lastRecord: bodyOf }, 0);
  notifier.notify(change('counted'), 5000);
  expect(said).toEqual([RAISED]);
});

test('sends at most one notice per second and drops a clearing that a later count overtakes', () => {
  const { said, notifier } = newNotifier();
  notifier.notify(change('raised'), 0);
  notifier.notify(change('cleared'), 500);
  notifier.notify(change('counted'), 700);
  notifier.flush(2000);
  expect(said).toEqual([RAISED]);
  notifier.notify(change('cleared'), 2100);
  notifier.notify(change('counted'), 2200);
  notifier.flush(3200);
  expect(said).toEqual([RAISED, CLEARED, RAISED]);
});

test('does not send informational records', () => {
  const { said, notifier } = newNotifier();
  notifier.notify(change('raised', { ...bodyOf(6304), severity: 'info' }), 0);
  expect(said).toEqual([]);
});
