/** When the media process ends, and what starts the next one. */
import { StoreUnavailableError, TOPIC } from '../../../../src/ports/index.js';
import { MediaDemand } from '../../../../src/server/services/media-demand.js';
import { MediaRest } from '../../../../src/server/services/media-rest.js';
import { LocalBus } from '../../../../src/store/shared/local-bus.js';
import { JOB_TIMES } from '../../../../src/vod/jobs/limits.js';
import { handClock, memoryLog, until } from '../../../support/store-harness.js';

const IDLE_MS = 30_000;

function resting({ idleMs = IDLE_MS }: { idleMs?: number } = {}) {
  const clock = handClock();
  const calls = { isAnswering: false, received: 0 };
  const jobs = { isWorking: false, isDue: false, isRetired: false };
  const state = { calls, jobs, references: 0, rests: 0, fault: undefined as Error | undefined };
  const rest = new MediaRest({
    clock,
    log: memoryLog(),
    jobs: {
      get isWorking() {
        return jobs.isWorking;
      },
      retire: async () => {
        if (state.fault !== undefined) throw state.fault;
        jobs.isRetired = !jobs.isDue && !jobs.isWorking;
        return jobs.isRetired;
      },
    },
    calls,
    references: () => state.references,
    idleMs,
    rest: async () => {
      state.rests++;
    },
  });
  const after = async (ms: number) => {
    clock.advance(ms);
    await rest.check();
    return state.rests;
  };
  return { state, after };
}

test('the media process ends once it has had nothing to do for a while, and asks for it once', async () => {
  const { after } = resting();
  expect([await after(IDLE_MS - 1), await after(1), await after(IDLE_MS)]).toEqual([0, 1, 1]);
});

test.each([
  ['a call is under way', { isAnswering: true, isWorking: false, references: 0 }],
  ['a job runs', { isAnswering: false, isWorking: true, references: 0 }],
  ['there are copyright references', { isAnswering: false, isWorking: false, references: 1 }],
])('it stays while %s, and the time begins after it', async (_, { isAnswering, isWorking, references }) => {
  const { state, after } = resting();
  state.calls.isAnswering = isAnswering;
  state.jobs.isWorking = isWorking;
  state.references = references;
  expect(await after(2 * IDLE_MS)).toBe(0);
  state.calls.isAnswering = false;
  state.jobs.isWorking = false;
  state.references = 0;
  expect([await after(IDLE_MS - 1), await after(1)]).toEqual([0, 1]);
});

test('a call that was answered between two looks begins the time anew', async () => {
  const { state, after } = resting();
  await after(IDLE_MS - 1);
  state.calls.received++;
  expect([await after(1), await after(IDLE_MS - 1), await after(1)]).toEqual([0, 0, 1]);
});

test('it stays while a job of any process waits or runs, or the store does not tell', async () => {
  const { state, after } = resting();
  state.jobs.isDue = true;
  expect(await after(IDLE_MS)).toBe(0);
  state.jobs.isDue = false;
  state.fault = new StoreUnavailableError('Redis is away');
  expect(await after(IDLE_MS)).toBe(0);
  state.fault = undefined;
  expect([await after(1), state.jobs.isRetired]).toEqual([1, true]);
});

test('with 0 it never ends', async () => {
  const { after } = resting({ idleMs: 0 });
  expect(await after(100 * IDLE_MS)).toBe(0);
});

function demanding({ dueInMs = Number.POSITIVE_INFINITY, hasReferences = false } = {}) {
  const bus = new LocalBus(memoryLog());
  const state = { isIdle: true, dueInMs, hasReferences, asked: 0, looks: 0, demands: 0 };
  const demand = new MediaDemand({
    bus,
    log: memoryLog(),
    jobs: {
      hasDue: async (aheadMs) => {
        state.looks++;
        return state.dueInMs <= aheadMs;
      },
    },
    hasReferences: async () => {
      state.asked++;
      return state.hasReferences;
    },
    isIdle: () => state.isIdle,
    demand: () => {
      state.demands++;
    },
  });
  return { bus, state, demand };
}

test.each([
  ['a job that is due has it started', { dueInMs: 0 }, { asked: 0, demands: 1 }],
  ['a reference has it started', { hasReferences: true }, { asked: 1, demands: 1 }],
  ['it does not start for nothing', {}, { asked: 1, demands: 0 }],
])('at the start of the server, %s', async (_what, found, expected) => {
  const { state, demand } = demanding(found);
  // The supervisor has not told yet which roles run.
  state.isIdle = false;
  await until(() => state.looks === 1);
  // Everything that it waits for is there.
  await new Promise((resolve) => setImmediate(resolve));
  expect(state).toMatchObject(expected);
  demand.close();
});

test('a job that is due, or will be when a process is ready, has the media process started', async () => {
  const { state, demand } = demanding();
  state.dueInMs = JOB_TIMES.soonMs + 1;
  await demand.look();
  expect(state).toMatchObject({ looks: 2, demands: 0 });
  state.dueInMs = JOB_TIMES.soonMs;
  await demand.look();
  expect(state.demands).toBe(1);
  demand.close();
});

test('jobs that are added and references that change are seen at once, and nothing is read while the process runs', async () => {
  const { bus, state, demand } = demanding();
  bus.publish(TOPIC.references, {});
  await until(() => state.demands === 1);
  state.dueInMs = 0;
  bus.publish(TOPIC.jobs, {});
  await until(() => state.demands === 2);
  state.isIdle = false;
  const heard = new Promise((resolve) => bus.subscribe(TOPIC.jobs, resolve));
  bus.publish(TOPIC.references, {});
  bus.publish(TOPIC.jobs, {});
  await heard;
  expect(state).toMatchObject({ looks: 2, demands: 2 });
  demand.close();
});
