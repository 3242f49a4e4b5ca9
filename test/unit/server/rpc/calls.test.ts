import { jest } from '@jest/globals';
import { CALL_LIMITS } from '../../../../src/server/rpc/contract.js';
import { fakeCalls } from '../../../support/fake-calls.js';
import { until } from '../../../support/store-harness.js';

/** Whether it is settled once all that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('waits for an answer of each process to the call at hand', async () => {
  const { calls, sent, answer } = fakeCalls('ingest', 1, 2);
  const [first, second] = [calls.askAll('ingest', 'still', 'one'), calls.askAll('ingest', 'still', 'two')];
  const numbersOf = (id: string) => sent.filter(({ args }) => args[0] === id).map(({ number }) => number);
  answer(1, 'two', numbersOf('two')[0]);
  answer(1, 'one', numbersOf('one')[0]);
  answer(2, null, numbersOf('one')[1]);
  expect(await first).toEqual(['one', null]);
  expect(await isSettled(second)).toBe(false);
  answer(2, null, numbersOf('two')[1]);
  expect(await second).toEqual(['two', null]);
});

test('does not wait for a process that ends without an answer, nor if none runs', async () => {
  const { calls, answer, end } = fakeCalls('ingest', 1, 2);
  const asking = calls.askAll('ingest', 'still', '5');
  answer(2, 'jpeg');
  end(1);
  expect(await asking).toEqual(['jpeg']);
  end(2);
  expect(await calls.askAll('ingest', 'still', '5')).toEqual([]);
});

test('gives a call up after its time, and drops an answer that comes later', async () => {
  jest.useFakeTimers();
  try {
    const { calls, answer } = fakeCalls('ingest', 1);
    const asking = calls.ask('ingest', 1, 'unsavedSamples', '5');
    await jest.advanceTimersByTimeAsync(CALL_LIMITS.ingest.unsavedSamples.withinMs + 1);
    expect(await asking).toBeUndefined();
    answer(1, null);
  } finally {
    jest.useRealTimers();
  }
});

test('answers a call with what its handler returns, which is told who calls', async () => {
  const { calls, call, answers } = fakeCalls('web', 7);
  const heard: unknown[] = [];
  calls.serve('ingest', {
    still: async (id, from) => `${id} for ${from}`,
    relay: (message) => void heard.push(message),
  });
  call(7, { number: 3, name: 'still', args: ['5'] });
  call(7, { name: 'relay', args: [{ playback: 'close', relay: 1 }] });
  await until(() => answers.length > 0);
  expect([answers, heard]).toEqual([[{ number: 3, value: '5 for 7' }], [{ playback: 'close', relay: 1 }]]);
});

test('a call that fails, or that this process does not know, is answered without a value, and the failure is logged', async () => {
  const { calls, call, answers, log } = fakeCalls('web', 7);
  calls.serve('ingest', { still: () => Promise.reject(new Error('no decoder')) });
  call(7, { number: 3, name: 'still', args: ['5'] });
  call(7, { number: 4, name: 'unknown', args: [] });
  await until(() => answers.length === 2);
  expect(answers).toEqual(expect.arrayContaining([{ number: 3 }, { number: 4 }]));
  expect(log.lines).toEqual([expect.objectContaining({ message: 'a call of another process failed' })]);
});

test('bounds the calls that have a number of places', () => {
  const { calls } = fakeCalls('media');
  const { places } = CALL_LIMITS.media.sample;
  const leaves = Array.from({ length: places ?? 0 }, () => calls.takePlace('media', 'sample'));
  expect(leaves).not.toContain(undefined);
  expect([calls.takePlace('media', 'sample'), calls.hasPlace('media', 'picture')]).toEqual([undefined, true]);
  leaves[0]?.();
  expect(calls.hasPlace('media', 'sample')).toBe(true);
});

test('a call to a role on demand has a process started, and waits for it', async () => {
  const { calls, sent, answer, demanded, begin } = fakeCalls('media');
  const asking = calls.askOne('media', 'still', 'a.flv');
  await until(() => demanded.length === 1);
  expect([demanded, sent]).toEqual([['media'], []]);
  begin(1);
  await until(() => sent.length === 1);
  answer(1, { result: 'decoded', base64: '' });
  expect(await asking).toEqual({ result: 'decoded', base64: '' });
});

test('a call that its process did not answer before it ended goes to the next one, and to no third', async () => {
  const { calls, sent, demanded, begin, end } = fakeCalls('media', 1);
  const asking = calls.askOne('media', 'still', 'a.flv');
  await until(() => sent.length === 1);
  end(1);
  await until(() => demanded.length === 1);
  begin(2);
  await until(() => sent.length === 2);
  expect(sent.map(({ to, args }) => [to, args])).toEqual([
    [1, ['a.flv']],
    [2, ['a.flv']],
  ]);
  end(2);
  expect(await asking).toBeUndefined();
  expect(demanded).toEqual(['media']);
});

test('a call to a role on demand is given up if no process starts in time', async () => {
  jest.useFakeTimers();
  try {
    const { calls } = fakeCalls('media');
    const asking = calls.askOne('media', 'sample', 'a.flv');
    await jest.advanceTimersByTimeAsync(CALL_LIMITS.media.sample.withinMs);
    expect(await asking).toBeUndefined();
  } finally {
    jest.useRealTimers();
  }
});

test('tells while it answers calls, and counts those that are work', async () => {
  const { calls, call, answers } = fakeCalls('web', 7);
  let finish: (jpeg: string) => void = () => undefined;
  calls.serve('ingest', { still: () => new Promise((resolve) => (finish = resolve)), metrics: () => ({}) });
  call(7, { number: 1, name: 'metrics', args: [] });
  call(7, { number: 2, name: 'still', args: ['5'] });
  await until(() => answers.length === 1);
  expect([calls.isAnswering, calls.received]).toEqual([true, 1]);
  finish('jpeg');
  await until(() => answers.length === 2);
  expect([calls.isAnswering, calls.received]).toEqual([false, 1]);
});
