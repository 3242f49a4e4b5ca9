/**
 * The queue of media jobs, kept in the store and shared by all processes, ordered by due time. A process without workers
 * only adds jobs.
 */
import { defined } from '../../lib/objects.js';
import { traceparent } from '../../lib/spans.js';
import { type Clock, ConflictError, DERIVED_ID, type Log, type Store, SYSTEM_EDGES, TOPIC } from '../../ports/index.js';
import { type JobData, type JobType, type JobWorkers, jobTypeOf } from './job.js';
import { JobRunner } from './job-runner.js';
import type { LaneTable } from './turns.js';

export interface JobQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as lease holder. */
  readonly holder: string;
  /** Job slots of this process. */
  readonly lanes?: LaneTable | undefined;
}

const COUNTED_PAGE = 1_000;
const COUNTED_MAX = 10_000;

export class JobQueue {
  readonly #options: JobQueueOptions;
  #runner: JobRunner | undefined;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /** Runs jobs in this process until `close`. */
  start(workers: JobWorkers): void {
    this.#runner = new JobRunner({ ...this.#options, workers });
  }

  async close(): Promise<void> {
    await this.#runner?.close();
  }

  /** At most one job per type and subject: adding an open job again changes nothing. */
  async add(
    type: JobType,
    subjectId: string,
    fields: Readonly<Record<string, unknown>> = {},
    delayMs = 0,
  ): Promise<void> {
    const nowMs = this.#options.clock.wallMs();
    const id = DERIVED_ID.job(type, subjectId);
    const causedBy = traceparent();
    const trace = causedBy === undefined ? {} : { traceparent: causedBy };
    const data: JobData = { ...fields, ...trace, type, subjectId, failures: 0 };
    const object = { id, kind: 'job', createdMs: nowMs, updatedMs: nowMs, data } as const;
    try {
      await this.#options.store.objects.commit([
        { op: 'put', object, expect: 0 },
        { op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: id, score: nowMs + delayMs },
      ]);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
    this.wake();
  }

  /** Removes an open job. A running one continues to its end. */
  async remove(type: JobType, subjectId: string): Promise<void> {
    const id = DERIVED_ID.job(type, subjectId);
    this.#runner?.abort(id);
    await this.#options.store.objects.commit([
      { op: 'delete', id },
      { op: 'edgeRemove', ...SYSTEM_EDGES.jobs, member: id },
    ]);
  }

  /** Whether a job of the whole store waits or runs, also in another process, or is due within `aheadMs`. */
  async hasDue(aheadMs: number): Promise<boolean> {
    const { store, clock } = this.#options;
    const due = { limit: 1, ascending: true, untilScore: clock.wallMs() + aheadMs };
    return (await store.objects.page(SYSTEM_EDGES.jobs, due)).entries.length > 0;
  }

  /** A job runs in this process. */
  get isWorking(): boolean {
    return this.#runner?.isWorking ?? false;
  }

  /** Takes no more jobs in this process, unless one runs or is due within `aheadMs`. False: it goes on. */
  async retire(aheadMs: number): Promise<boolean> {
    if (await this.hasDue(aheadMs)) return false;
    return this.#runner?.retire() ?? true;
  }

  async has(type: JobType, subjectId: string): Promise<boolean> {
    return (await this.#options.store.objects.get(DERIVED_ID.job(type, subjectId))) !== undefined;
  }

  /** Open jobs in the whole store by type; those beyond the scan limit count as `other`. */
  async depths(): Promise<Readonly<Record<JobType | 'other', number>>> {
    const { store } = this.#options;
    const counts = {
      recording: 0,
      upload: 0,
      publish: 0,
      fingerprint: 0,
      other: await store.objects.edgeSize(SYSTEM_EDGES.jobs),
    };
    let after: string | undefined;
    for (let counted = 0; counted < COUNTED_MAX; counted += COUNTED_PAGE) {
      const query = { limit: COUNTED_PAGE, ascending: true, ...defined({ after }) };
      const page = await store.objects.page(SYSTEM_EDGES.jobs, query);
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
    // Jobs may have been added since the total was read.
    counts.other = Math.max(0, counts.other);
    return counts;
  }

  /** A job may be due: wakes all processes. */
  wake(): void {
    this.#options.store.bus.publish(TOPIC.jobs, {});
    this.#runner?.look();
  }
}
