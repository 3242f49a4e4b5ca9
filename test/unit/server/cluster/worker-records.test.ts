import { WorkerRecords } from '../../../../src/server/cluster/worker-records.js';
import { fakeWorkers } from '../../../support/worker-channel.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('coalesces the queries of a turn, each broadcast once', async () => {
  const { channel, asked, answer } = fakeWorkers<readonly string[], boolean>(1);
  const records = new WorkerRecords(channel, 60_000);
  const all = Promise.all([records.stored('a'), records.stored('b'), records.stored('a')]);
  await turn();
  expect(asked.map(({ question }) => question)).toEqual([['a', 'b']]);
  for (const { number } of asked) answer(1, true, number);
  await all;
});

test('sends a new query in the next turn', async () => {
  const { channel, asked, answer } = fakeWorkers<readonly string[], boolean>(1);
  const records = new WorkerRecords(channel, 60_000);
  const first = records.stored('a');
  await turn();
  const second = records.stored('a');
  await turn();
  for (const { number } of asked) answer(1, true, number);
  await Promise.all([first, second]);
  expect(asked.map(({ question }) => question)).toEqual([['a'], ['a']]);
});
