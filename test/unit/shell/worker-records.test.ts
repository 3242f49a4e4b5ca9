import { type RecordsQuestion, WorkerRecords } from '../../../src/server/cluster/worker-records.js';

/** Processes that answer when the test says so. */
function processes(...ids: number[]) {
  const running = new Set(ids);
  const questions: RecordsQuestion[] = [];
  let onMessage = (_id: number, _answer: { recordsOf: number }): void => undefined;
  let onGone = (_id: number): void => undefined;
  const channel = {
    ids: () => [...running],
    send: () => undefined,
    sendAll: (question: RecordsQuestion) => void questions.push(question),
    onMessage: (listener: typeof onMessage) => {
      onMessage = listener;
    },
    onGone: (listener: typeof onGone) => {
      onGone = listener;
    },
  };
  return {
    channel,
    questions,
    answer: (id: number, recordsOf: number) => onMessage(id, { recordsOf }),
    end(id: number) {
      running.delete(id);
      onGone(id);
    },
  };
}

/** Whether it is settled once all that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('waits for each process, and for an answer to this question', async () => {
  const { channel, questions, answer } = processes(1, 2);
  const records = new WorkerRecords(channel, 60_000);
  const first = records.stored('a');
  await new Promise((resolve) => setImmediate(resolve));
  const second = records.stored('a');
  expect(questions.map(({ broadcastId }) => broadcastId)).toEqual(['a', 'a']);
  answer(1, questions[1]!.recordsOf);
  answer(1, questions[0]!.recordsOf);
  answer(2, questions[0]!.recordsOf);
  await first;
  expect(await isSettled(second)).toBe(false);
  answer(2, questions[1]!.recordsOf);
  await second;
});

test('asks once for all who ask of a broadcast in the same turn', async () => {
  const { channel, questions, answer } = processes(1);
  const records = new WorkerRecords(channel, 60_000);
  const all = Promise.all([records.stored('a'), records.stored('b'), records.stored('a')]);
  expect(questions.map(({ broadcastId }) => broadcastId)).toEqual(['a', 'b']);
  for (const { recordsOf } of questions) answer(1, recordsOf);
  await all;
});

test('does not wait for a process that ends instead of answering, nor when none runs', async () => {
  const { channel, end } = processes(1);
  const records = new WorkerRecords(channel, 60_000);
  const asked = records.stored('a');
  end(1);
  await asked;
  await records.stored('b');
});

test('does not wait for ever', async () => {
  const { channel } = processes(1);
  await new WorkerRecords(channel, 1).stored('a');
});
