/**
 * Runs jobs of the queue in this process. A worker holds and renews the lease of its job; a dead worker loses it within
 * seconds and another takes the job over. A failed job is retried with growing delays and dropped after a fixed number of
 * failures. turns.ts decides which due job runs next.
 */
import { failSpan, inSpan } from '../../lib/spans.js';
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
  /** This process, as lease holder. */
  readonly holder: string;
  readonly workers: JobWorkers;
  /** Job slots of this process. */
  readonly lanes?: LaneTable | undefined;
}

interface Running extends QueuedJob {
  readonly abort: AbortController;
  readonly sinceMs: number;
  /** Set when the job was stopped to continue in this lane. */
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

  /** Starts polling. */
  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#lanes = options.lanes ?? LANES;
    this.#turns = new Turns(this.#lanes);
    this.#due = new DueJobs(options.store, options.clock);
    this.#timer = setInterval(() => this.look(), JOB_TIMES.pollMs);
    this.#unsubscribe = options.store.bus.subscribe(TOPIC.jobs, () => this.look());
    this.look();
  }

  /** A job runs, or may be about to. */
  get isWorking(): boolean {
    return this.#looking || this.#running.size > 0;
  }

  /** Stops polling, unless a job runs or may be about to. False: it goes on. */
  retire(): boolean {
    if (!this.isWorking) this.#stop();
    return this.#closed;
  }

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  /** Stops polling, aborts running jobs, and resolves when their leases are released, or after a timeout: then they expire. */
  async close(): Promise<void> {
    this.#stop();
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

  /** Polls for due jobs now. */
  look(): void {
    if (this.#closed) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    this.#takeDue()
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailableError)
          this.#options.log.debug({ error }, 'cannot poll for jobs: store unavailable');
        else this.#options.log.error({ error }, 'polling for jobs failed');
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
    this.#yieldShortSlots([...waiting.values()]);
  }

  /** Moves a short conversion that takes long out of its slot when jobs of other owners wait for it. */
  #yieldShortSlots(waiting: readonly QueuedJob[]): void {
    const running = [...this.#running.values()];
    for (const job of running) {
      const elapsedMs = this.#options.clock.monotonicMs() - job.sinceMs;
      if (job.lane !== 'short' || elapsedMs < SHORT_SLICE_MS || job.abort.signal.aborted) continue;
      if (!blocksAnother(job, waiting, running, this.#lanes)) continue;
      this.#options.log.info(
        { job: job.id, elapsedMs },
        'conversion takes longer than estimated; moving it to the long lane',
      );
      job.movesTo = 'long';
      job.abort.abort();
    }
  }

  /** False: another process has it, or it is no longer due in this lane. */
  async #take(queued: QueuedJob): Promise<boolean> {
    const { store, holder, clock } = this.#options;
    const { id } = queued;
    const lease = await store.leases.acquire(LEASE.job(id), holder, JOB_TIMES.leaseMs);
    if (lease === undefined) return false;
    const job = await store.objects.get<JobData>(id);
    const entry = await store.objects.edgeEntry(SYSTEM_EDGES.jobs, id);
    const isDue = entry !== undefined && entry.score <= clock.wallMs();
    if (job === undefined || !isDue || laneOf(job.data) !== queued.lane) {
      // The job was finished, delayed or moved before the lease was acquired. An index entry without a job is removed.
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
      await inSpan(`job ${job.data.type}`, spanFacts(job), () => this.#run(job, running));
    } catch (error) {
      log.error({ job: job.id, error }, 'cannot update a job; it will be picked up again');
    } finally {
      clearInterval(renewing);
      this.#running.delete(job.id);
      await store.leases.release(lease).catch((error: unknown) => {
        log.debug({ job: job.id, error }, 'cannot release the lease of a job; it will expire');
      });
      if (this.#closed && this.#running.size === 0) for (const resolve of this.#idle) resolve();
      // The job may suit another process in its new lane.
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
      // After an abort the lease holder reports the result, not this worker.
      else if (!signal.aborted) {
        if (!(error instanceof JobNotYetError)) failSpan(error);
        await this.#failed(job, worker, error);
      }
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

  /** Keeps the due time, and with it the job's place among its owner's jobs. */
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
      log.error({ job: job.id, failures, error }, 'media job dropped');
      await worker.giveUp(job, error);
      await this.#finish(job.id);
      return;
    }
    const retryMs = later ?? Math.min(JOB_TIMES.longestRetryMs, JOB_TIMES.firstRetryMs * 4 ** (failures - 1));
    if (later === undefined) {
      log.warn({ job: job.id, failures, retryMs, error }, 'media job failed; will retry');
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
        // While the store is down no other process can take the lease; the next renewal decides.
        log.debug({ lease: lease.key, error }, 'cannot renew the lease of a job now');
      });
  }
}

function spanFacts({ data }: Job) {
  return {
    kind: 'consumer',
    causedBy: data.traceparent,
    attributes: {
      'airlock.job.type': data.type,
      'airlock.job.lane': laneOf(data),
      'airlock.job.failures': data.failures,
      'airlock.subject.id': data.subjectId,
    },
  } as const;
}
