/**
 * Works on the jobs of the queue in this process. Whoever works on a job holds its lease and renews it; a worker that died
 * loses it in seconds and another takes the job over. A failed job becomes due again later and later, and is given up
 * after so many failures. Which of the due jobs runs next is decided in turns.ts.
 */
import {
  type Clock,
  LEASE,
  type Lease,
  type Log,
  type Store,
  StoreUnavailableError,
  SYSTEM_EDGES,
  TOPIC,
} from '../../ports/index.js';
import { DueJobs } from './due-jobs.js';
import {
  FinalJobError,
  type Job,
  type JobData,
  JobNotYetError,
  type JobWorker,
  type JobWorkers,
  type Lane,
  laneOf,
  OtherLaneError,
} from './job.js';
import { JOB_TIMES, LANES, SHORT_SLICE_MS } from './limits.js';
import { blocksAnother, type LaneTable, type QueuedJob, Turns } from './turns.js';

export interface JobRunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as the holder of leases. */
  readonly holder: string;
  readonly workers: JobWorkers;
  /** Jobs at one time in this process. */
  readonly lanes?: LaneTable | undefined;
}

interface Running extends QueuedJob {
  readonly abort: AbortController;
  readonly sinceMs: number;
  /** It was stopped to continue there. */
  movesTo?: Lane;
}

export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, Running>();
  readonly #lanes: LaneTable;
  readonly #turns: Turns;
  readonly #due: DueJobs;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  #looking = false;
  #lookAgain = false;
  #closed = false;
  #idle: (() => void)[] = [];

  /** Begins to look for jobs. */
  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#lanes = options.lanes ?? LANES;
    this.#turns = new Turns(this.#lanes);
    this.#due = new DueJobs(options.store, options.clock);
    this.#timer = setInterval(() => this.look(), JOB_TIMES.pollMs);
    this.#unsubscribe = options.store.bus.subscribe(TOPIC.jobs, () => this.look());
    this.look();
  }

  /** Stops looking, aborts what runs, and resolves when its leases are given back, or after a while: then they end by themselves. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#unsubscribe();
    for (const running of this.#running.values()) running.abort.abort();
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, JOB_TIMES.closeMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Aborts the job if it runs here. */
  abort(id: string): void {
    this.#running.get(id)?.abort.abort();
  }

  /** Looks for due jobs now. */
  look(): void {
    if (this.#closed) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    this.#takeDue()
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) this.#options.log.debug({ error }, 'jobs cannot be looked for now');
        else this.#options.log.error({ error }, 'looking for jobs failed');
      })
      .finally(() => {
        this.#looking = false;
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        this.look();
      });
  }

  async #takeDue(): Promise<void> {
    const due = await this.#due.look();
    const waiting = new Map(due.map((job) => [job.id, job]));
    for (const id of this.#running.keys()) waiting.delete(id);
    while (!this.#closed) {
      const next = this.#turns.next([...waiting.values()], [...this.#running.values()]);
      if (next === undefined) break;
      waiting.delete(next.id);
      if (await this.#take(next)) this.#turns.taken(next);
    }
    this.#makeWay([...waiting.values()]);
  }

  /** A short conversion that proved long leaves its slot to the other owners that wait for it. */
  #makeWay(waiting: readonly QueuedJob[]): void {
    const running = [...this.#running.values()];
    for (const job of running) {
      const elapsedMs = this.#options.clock.monotonicMs() - job.sinceMs;
      if (job.lane !== 'short' || elapsedMs < SHORT_SLICE_MS || job.abort.signal.aborted) continue;
      if (!blocksAnother(job, waiting, running, this.#lanes)) continue;
      this.#options.log.info(
        { job: job.id, elapsedMs },
        'a conversion takes longer than estimated; it moves to the long lane',
      );
      job.movesTo = 'long';
      job.abort.abort();
    }
  }

  /** False: another process has it, or it is not due in this lane any more. */
  async #take(queued: QueuedJob): Promise<boolean> {
    const { store, holder, clock } = this.#options;
    const { id } = queued;
    const lease = await store.leases.acquire(LEASE.job(id), holder, JOB_TIMES.leaseMs);
    if (lease === undefined) return false;
    const job = await store.objects.get<JobData>(id);
    const entry = await store.objects.edgeEntry(SYSTEM_EDGES.jobs, id);
    const isDue = entry !== undefined && entry.score <= clock.wallMs();
    if (job === undefined || !isDue || laneOf(job.data) !== queued.lane) {
      // Done, put off, or moved, between the look and the lease. An entry without its job is nothing.
      if (job === undefined) await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.jobs, member: id }]);
      await store.leases.release(lease);
      this.#due.forget(id);
      if (job !== undefined && isDue) this.#lookAgain = true;
      return false;
    }
    const running: Running = { ...queued, abort: new AbortController(), sinceMs: clock.monotonicMs() };
    this.#running.set(id, running);
    void this.#work(job, lease, running);
    return true;
  }

  async #work(job: Job, lease: Lease, running: Running): Promise<void> {
    const { store, log } = this.#options;
    const renewing = setInterval(() => this.#renew(lease, running.abort), JOB_TIMES.renewMs);
    try {
      await this.#run(job, running);
    } catch (error) {
      log.error({ job: job.id, error }, 'a job could not be written back; it will be found again');
    } finally {
      clearInterval(renewing);
      this.#running.delete(job.id);
      await store.leases.release(lease).catch((error: unknown) => {
        log.debug({ job: job.id, error }, 'the lease of a job ends by itself');
      });
      if (this.#closed && this.#running.size === 0) for (const resolve of this.#idle) resolve();
      // A job that moved to another lane may be for another process.
      if (running.movesTo !== undefined) store.bus.publish(TOPIC.jobs, {});
      this.look();
    }
  }

  async #run(job: Job, running: Running): Promise<void> {
    const { signal } = running.abort;
    const worker = this.#options.workers[job.data.type];
    try {
      await worker.run(job, signal);
    } catch (error) {
      if (error instanceof OtherLaneError && !signal.aborted) running.movesTo = error.lane;
      if (running.movesTo !== undefined && !this.#closed) await this.#move(job, running.movesTo);
      // Not this worker's any more: whoever holds the lease says how it went.
      else if (!signal.aborted) await this.#failed(job, worker, error);
      return;
    }
    await this.#finish(job.id);
  }

  async #finish(id: string): Promise<void> {
    await this.#options.store.objects.commit([
      { op: 'delete', id },
      { op: 'edgeRemove', ...SYSTEM_EDGES.jobs, member: id },
    ]);
  }

  /** Its due time stays: it keeps its place among the jobs of its owner. */
  async #move(job: Job, lane: Lane): Promise<void> {
    const { store, clock } = this.#options;
    const { id, kind, createdMs, version } = job;
    const object = { id, kind, createdMs, updatedMs: clock.wallMs(), data: { ...job.data, lane } };
    this.#due.forget(id);
    await store.objects.commit([{ op: 'put', object, expect: version }]);
  }

  async #failed(job: Job, worker: JobWorker, error: unknown): Promise<void> {
    const { store, clock, log } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    const later = error instanceof JobNotYetError ? error.retryMs : undefined;
    const failures = job.data.failures + (later === undefined ? 1 : 0);
    if (error instanceof FinalJobError || failures >= JOB_TIMES.failuresMax) {
      log.error({ job: job.id, failures, error }, 'a media job is given up');
      await worker.giveUp(job, error);
      await this.#finish(job.id);
      return;
    }
    const retryMs = later ?? Math.min(JOB_TIMES.longestRetryMs, JOB_TIMES.firstRetryMs * 4 ** (failures - 1));
    if (later === undefined) {
      log.warn({ job: job.id, failures, retryMs, error }, 'a media job failed; it will be tried again');
      await worker.delayed?.(job, error);
    }
    const nowMs = clock.wallMs();
    const { id, kind, createdMs } = job;
    const data: JobData = { ...job.data, failures, lastError: reason.slice(0, 500) };
    await store.objects.commit([
      { op: 'put', object: { id, kind, createdMs, updatedMs: nowMs, data }, expect: job.version },
      { op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: id, score: nowMs + retryMs },
    ]);
  }

  #renew(lease: Lease, abort: AbortController): void {
    const { store, log } = this.#options;
    store.leases
      .renew(lease, JOB_TIMES.leaseMs)
      .then((held) => {
        if (!held) abort.abort();
      })
      .catch((error: unknown) => {
        // As long as nobody can be asked, nobody else can have it; when the store is back the next renewal tells.
        log.debug({ lease: lease.key, error }, 'the lease of a job could not be renewed now');
      });
  }
}
