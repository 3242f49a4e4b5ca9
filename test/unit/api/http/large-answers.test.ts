import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { QueryBudget } from '../../../../src/api/graph/budget.js';
import { LargeAnswers } from '../../../../src/api/http/large-answers.js';

const { answerBytes, wholeJsonBytes, largeAnswerReadMs, largeAnswerWaitMs } = API_LIMITS;

const isDone = (waiting: Promise<void>) =>
  Promise.race([waiting.then(() => true), new Promise<false>((resolve) => process.nextTick(resolve, false))]);

class Response extends EventEmitter {
  destroyed = false;
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}
const asResponse = (response: Response) => response as unknown as ServerResponse;

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

test('a request reserves memory only once its response is large', async () => {
  const all = new LargeAnswers();
  const budget = new QueryBudget(all.open(() => 'a'));
  budget.addBytes(wholeJsonBytes);
  expect(await isDone(budget.memory())).toBe(true);
  expect(all.held).toBe(0);
  budget.addBytes(1);
  expect(await isDone(budget.memory())).toBe(true);
  expect(all.held).toBe(answerBytes);
});

test('large responses of one holder are rendered one at a time, and those of others meanwhile', async () => {
  const all = new LargeAnswers();
  const [first, second, other] = [all.open(() => 'a'), all.open(() => 'a'), all.open(() => 'b')];
  expect(await isDone(first.reserve())).toBe(true);
  // Two calls of one batch.
  const [waiting, also] = [second.reserve(), second.reserve()];
  expect(await isDone(waiting)).toBe(false);
  expect(await isDone(other.reserve())).toBe(true);
  first.release();
  expect(await isDone(waiting)).toBe(true);
  expect(await isDone(also)).toBe(true);
  expect(await isDone(second.reserve())).toBe(true);
  second.release();
  other.release();
  expect(all.held).toBe(0);
});

test('a response is counted until its client has read it, at most for the time of the limit', async () => {
  const all = new LargeAnswers();
  const [read, stalled, next] = [all.open(() => 'a'), all.open(() => 'a'), all.open(() => 'a')];
  const [reading, stalling] = [new Response(), new Response()];
  await read.reserve();
  read.keepUntilRead(asResponse(reading), answerBytes / 4);
  await stalled.reserve();
  expect(all.held).toBe(answerBytes * 1.25);
  stalled.keepUntilRead(asResponse(stalling), answerBytes / 2);
  const waiting = next.reserve();
  expect(await isDone(waiting)).toBe(false);
  reading.emit('close');
  expect(await isDone(waiting)).toBe(true);
  jest.advanceTimersByTime(largeAnswerReadMs);
  expect(stalling.destroyed).toBe(true);
  expect(reading.destroyed).toBe(false);
  next.release();
  expect(all.held).toBe(0);
});

test('a request that waits too long is refused as transient', async () => {
  const all = new LargeAnswers();
  await all.open(() => 'a').reserve();
  const waiting = all.open(() => 'a').reserve();
  jest.advanceTimersByTime(largeAnswerWaitMs);
  await expect(waiting).rejects.toMatchObject({ shape: { code: 2, status: 503, isTransient: true } });
});

test('a request that ended while it waited holds nothing', async () => {
  const all = new LargeAnswers();
  const [first, gone] = [all.open(() => 'a'), all.open(() => 'a')];
  await first.reserve();
  const waiting = gone.reserve();
  gone.release();
  expect(await isDone(waiting)).toBe(true);
  first.release();
  expect(all.held).toBe(0);
});
