import { DERIVED_ID, type Store, SYSTEM_EDGES } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import {
  FinalJobError,
  type Job,
  JobNotYetError,
  type JobWorker,
  type Lane,
  OtherLaneError,
} from '../../src/vod/jobs/job.js';
import { JobQueue, type JobQueueOptions } from '../../src/vod/jobs/job-queue.js';
import { JOB_TIMES, LANES, SHORT_SLICE_MS } from '../../src/vod/jobs/limits.js';
import type { LaneTable } from '../../src/vod/jobs/turns.js';
import { handClock, memoryLog, realClock, temporaryFolderOfFile, until } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
let store: Store;

beforeAll(async () => {
  store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

/** A queue with the same worker for all job types. */
class TestQueue extends JobQueue {
  readonly #worker: JobWorker;

  constructor(options: JobQueueOptions, worker: JobWorker) {
    super(options);
    this.#worker = worker;
  }

  override start(): void {
    super.start({ recording: this.#worker, upload: this.#worker, publish: this.#worker, fingerprint: this.#worker });
  }
}

const queues: TestQueue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close();
  for (;;) {
    const { entries } = await store.objects.page(SYSTEM_EDGES.jobs, { limit: 100 });
    if (entries.length === 0) return;
    await store.objects.commit(
      entries.flatMap(({ member }) => [
        { op: 'delete', id: member } as const,
        { op: 'edgeRemove', ...SYSTEM_EDGES.jobs, member } as const,
      ]),
    );
  }
});

interface Given {
  readonly run: JobWorker['run'];
  readonly giveUp?: JobWorker['giveUp'];
  readonly holder?: string;
  readonly lanes?: LaneTable;
  readonly clock?: ReturnType<typeof handClock>;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function queue({ run, giveUp = async () => undefined, holder = 'a', lanes, clock }: Given): TestQueue {
  const options = { store, clock: clock ?? realClock, log: memoryLog(), holder, lanes };
  const made = new TestQueue(options, { run, giveUp });
  queues.push(made);
  return made;
}

const open = async (): Promise<number> => (await store.objects.page(SYSTEM_EDGES.jobs, { limit: 100 })).entries.length;

test('counts waiting jobs by type', async () => {
  const jobs = queue({ run: async () => undefined });
  expect(await jobs.depths()).toEqual({ recording: 0, upload: 0, publish: 0, fingerprint: 0, other: 0 });
  for (const subject of ['1', '2']) await jobs.add('recording', subject, {}, 60_000);
  await jobs.add('publish', '1', {}, 60_000);
  await store.objects.commit([
    { op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: 'job-of-a-newer-version', score: Date.now() + 60_000 },
  ]);
  expect(await jobs.depths()).toEqual({ recording: 2, upload: 0, publish: 1, fingerprint: 0, other: 1 });
  await jobs.remove('publish', '1');
  expect(await jobs.depths()).toMatchObject({ recording: 2, publish: 0 });
});

test('runs a job once and removes it', async () => {
  const done: string[] = [];
  const jobs = queue({ run: async (job) => void done.push(job.data.subjectId) });
  jobs.start();
  await jobs.add('upload', '1', { key: 'x' });
  await jobs.add('upload', '2');
  await until(async () => (await open()) === 0);
  expect(done.sort()).toEqual(['1', '2']);
  expect(await jobs.has('upload', '1')).toBe(false);
});

test('adding a job twice creates one job', async () => {
  const jobs = queue({ run: async () => undefined });
  await jobs.add('upload', '1', { first: true });
  await jobs.add('upload', '1', { first: false });
  expect(await open()).toBe(1);
  expect((await store.objects.get<Job['data']>(DERIVED_ID.job('upload', '1')))?.data).toMatchObject({ first: true });
});

test('runs at most as many jobs as there are slots, and runs them all', async () => {
  let running = 0;
  let most = 0;
  let done = 0;
  const jobs = queue({
    lanes: { ...LANES, copy: { slots: 2, perOwner: 2 } },
    run: async () => {
      running++;
      most = Math.max(most, running);
      await until(() => running === 2 || done >= 8);
      running--;
      done++;
    },
  });
  jobs.start();
  for (let n = 0; n < 9; n++) await jobs.add('upload', String(n));
  await until(() => done === 9);
  expect(most).toBe(2);
});

test('retries a failed job with growing delays, then drops it', async () => {
  const clock = handClock();
  const attempts: number[] = [];
  const given: string[] = [];
  const jobs = queue({
    clock,
    run: async () => {
      attempts.push(clock.wallMs());
      throw new Error('no luck');
    },
    giveUp: async (_job, error) => void given.push(messageOf(error)),
  });
  await jobs.add('upload', '1');
  jobs.start();
  for (let failures = 1; failures < JOB_TIMES.failuresMax; failures++) {
    await until(
      async () => (await store.objects.get<Job['data']>(DERIVED_ID.job('upload', '1')))?.data.failures === failures,
    );
    const entry = await store.objects.edgeEntry(SYSTEM_EDGES.jobs, DERIVED_ID.job('upload', '1'));
    const waitMs = (entry?.score ?? 0) - clock.wallMs();
    expect(waitMs).toBe(Math.min(JOB_TIMES.longestRetryMs, JOB_TIMES.firstRetryMs * 4 ** (failures - 1)));
    clock.advance(waitMs - 1);
    jobs.wake();
    expect(attempts.length).toBe(failures);
    clock.advance(1);
    jobs.wake();
  }
  await until(async () => (await open()) === 0);
  expect(given).toEqual(['no luck']);
  expect(attempts.length).toBe(JOB_TIMES.failuresMax);
});

test('drops a job at once after a final error; too early does not count as a failure', async () => {
  const clock = handClock();
  const given: string[] = [];
  let early = true;
  const jobs = queue({
    clock,
    run: async () => {
      if (early) throw new JobNotYetError('wait', 1_000);
      throw new FinalJobError('never');
    },
    giveUp: async (job, error) => void given.push(`${messageOf(error)} ${job.data.failures}`),
  });
  await jobs.add('upload', '1');
  jobs.start();
  await until(
    async () =>
      (await store.objects.edgeEntry(SYSTEM_EDGES.jobs, DERIVED_ID.job('upload', '1')))?.score ===
      clock.wallMs() + 1_000,
  );
  early = false;
  clock.advance(1_000);
  jobs.wake();
  await until(async () => (await open()) === 0);
  expect(given).toEqual(['never 0']);
});

test('a leased job is not taken by another process until it is released', async () => {
  const ran: string[] = [];
  const first = queue({
    holder: 'first',
    run: (_job, signal) => {
      ran.push('first');
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    },
  });
  await first.add('upload', '1');
  first.start();
  await until(() => ran.length === 1);
  const second = queue({ holder: 'second', run: async () => void ran.push('second') });
  second.start();
  second.wake();
  await store.ping();
  expect(ran).toEqual(['first']);
  await first.close();
  second.wake();
  await until(async () => (await open()) === 0);
  expect(ran).toEqual(['first', 'second']);
});

test('a lost lease aborts the work and keeps the job', async () => {
  let stopped = false;
  const jobs = queue({
    run: (_job, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(new Error('lost'));
        });
      }),
  });
  await jobs.add('upload', '1');
  jobs.start();
  await until(async () => (await store.leases.holder(`job:${DERIVED_ID.job('upload', '1')}`)) !== undefined);
  const lease = await store.leases.holder(`job:${DERIVED_ID.job('upload', '1')}`);
  if (lease !== undefined) await store.leases.release(lease);
  await store.leases.acquire(`job:${DERIVED_ID.job('upload', '1')}`, 'thief', 60_000);
  await until(() => stopped);
  expect((await store.objects.get<Job['data']>(DERIVED_ID.job('upload', '1')))?.data.failures).toBe(0);
});

test('removes an index entry without a job', async () => {
  await store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: 'job-upload-gone', score: 0 }]);
  queue({ run: async () => undefined }).start();
  await until(async () => (await open()) === 0);
});

/** Stores a video of this owner. */
async function video(id: string, ownerId: string): Promise<void> {
  const at = { createdMs: Date.now(), updatedMs: Date.now() };
  await store.objects.commit([{ op: 'put', object: { id, kind: 'video', ...at, data: { ownerId } } }]);
}

test('owners take turns regardless of the queue order', async () => {
  const order: string[] = [];
  const jobs = queue({
    lanes: { ...LANES, copy: { slots: 1, perOwner: 1 } },
    run: async (job) => void order.push(job.data.subjectId),
  });
  for (const [id, owner] of [
    ['a1', 'anna'],
    ['a2', 'anna'],
    ['a3', 'anna'],
    ['b1', 'ben'],
  ] as const) {
    await video(id, owner);
    await jobs.add('upload', id);
  }
  jobs.start();
  await until(async () => (await open()) === 0);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('a job that moves to another lane waits there without counting a failure or blocking copies', async () => {
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const jobs = queue({
    run: async (job) => {
      const { subjectId, lane, failures } = job.data;
      ran.push(`${subjectId} ${lane ?? 'first'} ${failures}`);
      if (subjectId.startsWith('copy')) return;
      if (lane === undefined) throw new OtherLaneError('long');
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  for (const id of ['long1', 'long2', 'long3', 'copy1']) await video(id, id === 'long3' ? 'ben' : 'anna');
  jobs.start();
  for (const id of ['long1', 'long2', 'long3', 'copy1']) await jobs.add('upload', id);
  await until(() => ran.length === 6);
  // The owner's second conversion waits for its first; the copy and the other owner do not.
  expect(new Set(ran)).toEqual(
    new Set(['long1 first 0', 'long2 first 0', 'long3 first 0', 'copy1 first 0', 'long1 long 0', 'long3 long 0']),
  );
  ends[0]?.();
  await until(() => ran.includes('long2 long 0'));
  for (const end of ends) end();
  await until(() => ends.length === 3);
  ends[2]?.();
  await until(async () => (await open()) === 0);
});

test('a slow short conversion yields its slot to another owner, not to its own', async () => {
  const clock = handClock();
  const ran: string[] = [];
  const stopped: string[] = [];
  const jobs = queue({
    clock,
    run: (job, signal) => {
      const { subjectId, lane } = job.data;
      ran.push(`${subjectId} ${lane}`);
      if (subjectId === 'quick') return Promise.resolve();
      if (lane === undefined) return Promise.reject(new OtherLaneError('short'));
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(`${subjectId} ${lane}`);
          reject(new Error('stopped'));
        });
      });
    },
  });
  for (const [id, owner] of [
    ['nasty1', 'anna'],
    ['nasty2', 'anna'],
    ['quick', 'ben'],
  ] as const)
    await video(id, owner);
  jobs.start();
  await jobs.add('upload', 'nasty1');
  await until(() => ran.includes('nasty1 short'));
  await jobs.add('upload', 'nasty2');
  await until(async () => (await laneOfJob('nasty2')) === 'short');
  clock.advance(SHORT_SLICE_MS);
  jobs.wake();
  await store.ping();
  expect(stopped).toEqual([]);
  await setLane('quick', 'short');
  jobs.wake();
  await until(() => ran.includes('quick short'));
  expect(stopped[0]).toBe('nasty1 short');
  await until(() => ran.includes('nasty1 long'));
  expect((await store.objects.get<Job['data']>(DERIVED_ID.job('upload', 'nasty1')))?.data).toMatchObject({
    failures: 0,
    lane: 'long',
  });
});

const laneOfJob = async (subject: string) =>
  (await store.objects.get<Job['data']>(DERIVED_ID.job('upload', subject)))?.data.lane;

/** Stores a job that is already in this lane. */
async function setLane(subjectId: string, lane: Lane): Promise<void> {
  const at = { createdMs: 0, updatedMs: 0 };
  const id = DERIVED_ID.job('upload', subjectId);
  const data = { type: 'upload', subjectId, failures: 0, lane };
  await store.objects.commit([
    { op: 'put', object: { id, kind: 'job', ...at, data } },
    { op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: id, score: 0 },
  ]);
}

test('a process retires only while no job of the store is due soon or runs, and takes none from then on', async () => {
  const clock = handClock();
  let finish: () => void = () => undefined;
  const ran: string[] = [];
  const run = (job: Job) => {
    ran.push(job.data.subjectId);
    return new Promise<void>((resolve) => (finish = resolve));
  };
  const [mine, other] = [queue({ run, clock }), queue({ run, clock, holder: 'b' })];
  mine.start();
  await mine.add('upload', '91');
  await until(() => ran.length === 1);
  // It runs in the other process.
  expect([mine.isWorking, await mine.retire(0), await other.retire(0)]).toEqual([true, false, false]);
  finish();
  await until(async () => !mine.isWorking && (await open()) === 0);
  await other.add('upload', '92', {}, 1_000);
  expect([await mine.hasDue(999), await mine.hasDue(1_000), await mine.retire(1_000)]).toEqual([false, true, false]);
  await until(() => !mine.isWorking);
  expect(await mine.retire(999)).toBe(true);
  clock.advance(1_000);
  mine.wake();
  expect([mine.isWorking, await open()]).toEqual([false, 1]);
  // The job waits for the next process.
  queue({ run, clock, holder: 'c' }).start();
  await until(() => ran.length === 2);
  finish();
  await until(async () => (await open()) === 0);
});
