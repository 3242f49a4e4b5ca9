import { StoredRecords } from '../../../../src/server/rpc/stored-records.js';
import { fakeCalls } from '../../../support/fake-calls.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('coalesces the questions of a turn, each broadcast once', async () => {
  const { calls, sent, answer } = fakeCalls('ingest', 1);
  const records = new StoredRecords(calls);
  const all = Promise.all([records.stored('a'), records.stored('b'), records.stored('a')]);
  await turn();
  expect(sent.map(({ args }) => args)).toEqual([[['a', 'b']]]);
  answer(1, true);
  await all;
});

test('asks anew in the next turn', async () => {
  const { calls, sent, answer } = fakeCalls('ingest', 1);
  const records = new StoredRecords(calls);
  const first = records.stored('a');
  await turn();
  const second = records.stored('a');
  await turn();
  for (const { number } of sent) answer(1, true, number);
  await Promise.all([first, second]);
  expect(sent.map(({ args }) => args)).toEqual([[['a']], [['a']]]);
});
