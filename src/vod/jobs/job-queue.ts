/**
 * The queue of media jobs, kept in the store and shared by all its processes. Whoever works on a job holds its lease and
 * renews it; a worker that died loses it in seconds and another takes the job over. Jobs are found by their due time; a
 * failed one becomes due again later and later, and is given up after so many failures.
 */
import {
  type Clock,
  ConflictError,
  type Lease,
  type Log,
  type Store,
  type StoredObject,
  StoreUnavailableError,
} from '../../ports.js';
import { FinalJobError, JOBS, type JobData, JobNotYetError, type JobType, jobId, jobTypeOf } from './job.js';

export type Job = StoredObject<JobData>;

export interface JobWorker {
  /** Works until done or `signal` aborts (the lease was lost, or the process ends): then it throws. */
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** It failed for good. */
  giveUp(job: Job, error: unknown): Promise<void>;
  /** It failed and will be tried again. */
  delayed?(job: Job, error: unknown): Promise<void>;
}

export interface JobQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as the holder of leases. */
  readonly holder: string;
  readonly workers: Readonly<Record<JobType, JobWorker>>;
  /** Jobs at one time in this process. */
  readonly parallel?: number;
}

export const JOB_TIMES = {
  leaseMs: 15_000,
  renewMs: 4_000,
  /** How often due jobs are looked for when nobody says that there is one. */
  pollMs: 2_000,
  firstRetryMs: 5_000,
  longestRetryMs: 600_000,
  failuresMax: 6,
  /** At the end of the process work that does not stop is left to whoever takes it over. */
  closeMs: 10_000,
} as const;

const WAKE = 'jobs';
const LOOKED_AT = 50;
const COUNTED_PAGE = 1_000;
const COUNTED_MAX = 10_000;

export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #running = new Map<string, AbortController>();
  readonly #parallel: number;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #looking = false;
  #lookAgain = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: JobQueueOptions) {
    this.#options = options;
    this.#parallel = options.parallel ?? 2;
  }

  /** Begins to look for jobs. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), JOB_TIMES.pollMs);
    this.#unsubscribe = this.#options.store.bus.subscribe(WAKE, () => this.#look());
    this.#look();
  }

  /** Stops looking, aborts what runs, and resolves when its leases are given back, or after a while: then they end by themselves. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    for (const running of this.#running.values()) running.abort();
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, JOB_TIMES.closeMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** One job a type and subject: asked for again while it is open, it stays as it is. */
  async add(
    type: JobType,
    subjectId: string,
    fields: Readonly<Record<string, unknown>> = {},
    delayMs = 0,
  ): Promise<void> {
    const nowMs = this.#options.clock.wallMs();
    const id = jobId(type, subjectId);
    const data: JobData = { ...fields, type, subjectId, failures: 0 };
    const object = { id, kind: 'job', createdMs: nowMs, updatedMs: nowMs, data } as const;
    try {
      await this.#options.store.commit([
        { op: 'put', object, expect: 0 },
        { op: 'edgeAdd', ...JOBS, member: id, score: nowMs + delayMs },
      ]);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
    this.wake();
  }

  /** Takes an open job back; one that runs now goes on to its end. */
  async remove(type: JobType, subjectId: string): Promise<void> {
    const id = jobId(type, subjectId);
    this.#running.get(id)?.abort();
    await this.#options.store.commit([
      { op: 'delete', id },
      { op: 'edgeRemove', ...JOBS, member: id },
    ]);
  }

  async has(type: JobType, subjectId: string): Promise<boolean> {
    return (await this.#options.store.get(jobId(type, subjectId))) !== undefined;
  }

  /** Jobs of the whole store that wait or run, by kind; beyond a bound they are `other`. */
  async depths(): Promise<Readonly<Record<JobType | 'other', number>>> {
    const { store } = this.#options;
    const counts = { recording: 0, upload: 0, publish: 0, other: await store.edgeSize(JOBS) };
    let after: string | undefined;
    for (let counted = 0; counted < COUNTED_MAX; counted += COUNTED_PAGE) {
      const query = { limit: COUNTED_PAGE, ascending: true, ...(after === undefined ? {} : { after }) };
      const page = await store.page(JOBS, query);
      for (const { member, cursor } of page.entries) {
        const type = jobTypeOf(member);
        if (type !== undefined) {
          counts[type]++;
          counts.other--;
        }
        after = cursor;
      }
      if (!page.hasNext) break;
    }
    // Jobs that came since the first question.
    counts.other = Math.max(0, counts.other);
    return counts;
  }

  /** Something may be due: every process looks. */
  wake(): void {
    this.#options.store.bus.publish(WAKE, {});
    this.#look();
  }

  #look(): void {
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
        this.#look();
      });
  }

  async #takeDue(): Promise<void> {
    const { store, clock } = this.#options;
    const due = await store.page(JOBS, { limit: LOOKED_AT, ascending: true, untilScore: clock.wallMs() });
    for (const { member } of due.entries) {
      if (this.#closed || this.#running.size >= this.#parallel) return;
      if (!this.#running.has(member)) await this.#take(member);
    }
  }

  async #take(id: string): Promise<void> {
    const { store, holder } = this.#options;
    const lease = await store.acquire(`job:${id}`, holder, JOB_TIMES.leaseMs);
    if (lease === undefined) return;
    const job = await store.get<JobData>(id);
    const entry = await store.edgeEntry(JOBS, id);
    if (job === undefined || entry === undefined || entry.score > this.#options.clock.wallMs()) {
      // Done, or put off, between the look and the lease. An entry without its job is nothing.
      if (job === undefined) await store.commit([{ op: 'edgeRemove', ...JOBS, member: id }]);
      await store.release(lease);
      return;
    }
    const abort = new AbortController();
    this.#running.set(id, abort);
    void this.#work(job, lease, abort);
  }

  async #work(job: Job, lease: Lease, abort: AbortController): Promise<void> {
    const { store, log } = this.#options;
    const renewing = setInterval(() => this.#renew(lease, abort), JOB_TIMES.renewMs);
    try {
      await this.#run(job, abort.signal);
    } catch (error) {
      log.error({ job: job.id, error }, 'a job could not be written back; it will be found again');
    } finally {
      clearInterval(renewing);
      this.#running.delete(job.id);
      await store.release(lease).catch((error: unknown) => {
        log.debug({ job: job.id, error }, 'the lease of a job ends by itself');
      });
      if (this.#closed && this.#running.size === 0) for (const resolve of this.#idle) resolve();
      this.#look();
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const worker = this.#options.workers[job.data.type];
    try {
      await worker.run(job, signal);
    } catch (error) {
      // Not this worker's any more: whoever holds the lease says how it went.
      if (!signal.aborted) await this.#failed(job, worker, error);
      return;
    }
    await this.#finish(job.id);
  }

  async #finish(id: string): Promise<void> {
    await this.#options.store.commit([
      { op: 'delete', id },
      { op: 'edgeRemove', ...JOBS, member: id },
    ]);
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
    await store.commit([
      { op: 'put', object: { id, kind, createdMs, updatedMs: nowMs, data }, expect: job.version },
      { op: 'edgeAdd', ...JOBS, member: id, score: nowMs + retryMs },
    ]);
  }

  #renew(lease: Lease, abort: AbortController): void {
    const { store, log } = this.#options;
    store
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
