import { askWorkers } from '../../../../src/server/cluster/ask-workers.js';
import { fakeWorkers } from '../../../support/worker-channel.js';

/** Whether it is settled once all that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('waits for a response of each process to the current query', async () => {
  const { channel, asked, answer } = fakeWorkers<string, string>(1, 2);
  const ask = askWorkers(channel, 60_000);
  const [first, second] = [ask('one'), ask('two')];
  const [one, two] = asked.map(({ number }) => number);
  answer(1, 'two', two);
  answer(1, 'one', one);
  answer(2, 'one', one);
  await first;
  expect(await isSettled(second)).toBe(false);
  answer(2, 'two', two);
  await second;
});

test('who asks on one channel gets no response to another', async () => {
  const { channel, asked, answer } = fakeWorkers<string, string>(1);
  const answers = ['one', 'two'].map((question) => askWorkers<string, string>(channel, 60_000)(question));
  for (const { number, question } of [...asked].reverse()) answer(1, `to ${question}`, number);
  expect(await Promise.all(answers)).toEqual([['to one'], ['to two']]);
});

test('passes on each response, also one after the timeout', async () => {
  const { channel, answer } = fakeWorkers<string, string>(1);
  const heard: [number, string][] = [];
  await askWorkers<string, string>(channel, 1, (id, text) => heard.push([id, text]))('one');
  answer(1, 'late');
  expect(heard).toEqual([[1, 'late']]);
});

test('does not wait for a process that ends without a response, nor if none runs', async () => {
  const { channel, end } = fakeWorkers<string, string>(1);
  const ask = askWorkers(channel, 60_000);
  const asking = ask('one');
  end(1);
  await asking;
  await ask('two');
});
