import { WorkerRecords } from '../../../../src/server/cluster/worker-records.js';
import { fakeWorkers } from '../../../support/worker-channel.js';

test('coalesces queries for one broadcast in the same turn', async () => {
  const { channel, asked, answer } = fakeWorkers<string, boolean>(1);
  const records = new WorkerRecords(channel, 60_000);
  const all = Promise.all([records.stored('a'), records.stored('b'), records.stored('a')]);
  expect(asked.map(({ question }) => question)).toEqual(['a', 'b']);
  for (const { number } of asked) answer(1, true, number);
  await all;
});

test('sends a new query in the next turn', async () => {
  const { channel, asked, answer } = fakeWorkers<string, boolean>(1);
  const records = new WorkerRecords(channel, 60_000);
  const first = records.stored('a');
  await new Promise((resolve) => setImmediate(resolve));
  const second = records.stored('a');
  for (const { number } of asked) answer(1, true, number);
  await Promise.all([first, second]);
  expect(asked.map(({ question }) => question)).toEqual(['a', 'a']);
});
