import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { Loader } from '../../../../src/api/context/loader.js';
import { QueryBudget } from '../../../../src/api/graph/budget.js';
import type { Services } from '../../../../src/api/graph/call.js';
import { LoopTurns } from '../../../../src/api/graph/turns.js';
import { CallWork } from '../../../../src/api/graph/work.js';
import { makeCall } from '../../../../src/api/http/call-of.js';
import { graphRegistry } from '../../../../src/api/routes.js';
import type { ObjectStore } from '../../../../src/ports/index.js';

let nowMs = 0;
let isGone = false;
beforeEach(() => {
  nowMs = 0;
  isGone = false;
});
const makeWork = (budget = new QueryBudget()) =>
  new CallWork({ budget, turns: new LoopTurns(() => nowMs), isGone: () => isGone });

const isDone = (waiting: Promise<void>) =>
  Promise.race([waiting.then(() => true), new Promise<false>((resolve) => process.nextTick(resolve, false))]);

test('limits concurrent list reads, and starts none after the end', async () => {
  const work = makeWork();
  const ends: (() => void)[] = [];
  const reads = Array.from({ length: API_LIMITS.listReads + 5 }, () =>
    work.read(() => new Promise<void>((resolve) => void ends.push(resolve))),
  );
  const all = Promise.allSettled(reads);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(API_LIMITS.listReads);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(ends).toHaveLength(API_LIMITS.listReads + 1);
  work.end();
  for (const end of ends) end();
  const refused = (await all).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(ends).toHaveLength(API_LIMITS.listReads + 1);
});

test('a loader starts no reads once its call has ended or its client has disconnected', async () => {
  const asked: number[] = [];
  const store = {
    getMany: async (ids: readonly string[]) => {
      asked.push(ids.length);
      isGone = true;
      return ids.map(() => undefined);
    },
  } as unknown as ObjectStore;
  const loader = new Loader(store, makeWork());
  const loads = Array.from({ length: 250 }, (_each, n) => loader.load(`${n}`));
  const results = await Promise.allSettled(loads);
  expect(asked).toEqual([API_LIMITS.objectsPerRead]);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(150);
});

test('a request that has rendered much waits for the next turn when its slice is over, a small one does not', async () => {
  const budget = new QueryBudget();
  const [large, other, small] = [makeWork(budget), makeWork(budget), makeWork()];
  other.addValues(API_LIMITS.valuesUnsliced);
  await expect(isDone(large.turn())).resolves.toBe(true);
  large.addValues(1);
  await expect(isDone(large.turn())).resolves.toBe(true);
  await expect(isDone(small.turn())).resolves.toBe(true);
  nowMs += API_LIMITS.sliceMs;
  await expect(isDone(small.turn())).resolves.toBe(true);
  const turn = large.turn();
  await expect(isDone(turn)).resolves.toBe(false);
  await turn;
});

test('a call releases unread rows once, when it ends', async () => {
  const budget = new QueryBudget();
  const work = makeWork(budget);
  await work.reserve({ rows: API_LIMITS.rowsPerAnswer, path: [] });
  work.addRows(10);
  work.end();
  work.end();
  await budget.reserve({ rows: API_LIMITS.rowsPerAnswer - 10, path: [] });
  await expect(new QueryBudget().reserve({ rows: API_LIMITS.rowsPerAnswer + 1, path: [] })).rejects.toThrow(/Reduce/);
});

test('calls have no accessors of their own, for which V8 would keep requests and responses until a full collection', async () => {
  const services = { store: { objects: {} }, clock: { wallMs: () => 0 } } as unknown as Services;
  const signal = new AbortController().signal;
  const call = await makeCall(services, graphRegistry(), {
    method: 'GET',
    segments: ['1'],
    version: 'v24.0',
    params: {},
    files: new Map(),
    received: new Map(),
    token: undefined,
    address: undefined,
    trace: 'A1',
    originOf: () => 'http://127.0.0.1:1',
    signalOf: () => signal,
    work: makeWork(),
  });
  expect([call.originOf(), call.signalOf()]).toEqual(['http://127.0.0.1:1', signal]);
  const accessors = Object.entries(Object.getOwnPropertyDescriptors(call)).filter(([, { get }]) => get !== undefined);
  expect(accessors).toEqual([]);
});
