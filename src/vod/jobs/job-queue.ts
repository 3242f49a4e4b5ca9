/**
 * The queue of media jobs, kept in the store and shared by all its processes. Jobs are found by their due time. A process
 * that does not work on them only adds jobs.
 */
import { type Clock, ConflictError, DERIVED_ID, type Log, type Store, SYSTEM_EDGES, TOPIC } from '../../ports/index.js';
import { type JobData, type JobType, type JobWorkers, jobTypeOf } from './job.js';
import { JobRunner } from './job-runner.js';
import type { LaneTable } from './turns.js';

export interface JobQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, as the holder of leases. */
  readonly holder: string;
  /** Jobs at one time in this process. */
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

  /** Works on jobs in this process, until it is closed. */
  start(workers: JobWorkers): void {
    this.#runner = new JobRunner({ ...this.#options, workers });
  }

  async close(): Promise<void> {
    await this.#runner?.close();
  }

  /** One job a type and subject: asked for again while it is open, it stays as it is. */
  async add(
    type: JobType,
    subjectId: string,
    fields: Readonly<Record<string, unknown>> = {},
    delayMs = 0,
  ): Promise<void> {
    const nowMs = this.#options.clock.wallMs();
    const id = DERIVED_ID.job(type, subjectId);
    const data: JobData = { ...fields, type, subjectId, failures: 0 };
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

  /** Takes an open job back; one that runs now goes on to its end. */
  async remove(type: JobType, subjectId: string): Promise<void> {
    const id = DERIVED_ID.job(type, subjectId);
    this.#runner?.abort(id);
    await this.#options.store.objects.commit([
      { op: 'delete', id },
      { op: 'edgeRemove', ...SYSTEM_EDGES.jobs, member: id },
    ]);
  }

  async has(type: JobType, subjectId: string): Promise<boolean> {
    return (await this.#options.store.objects.get(DERIVED_ID.job(type, subjectId))) !== undefined;
  }

  /** Jobs of the whole store that wait or run, by kind; beyond a bound they are `other`. */
  async depths(): Promise<Readonly<Record<JobType | 'other', number>>> {
    const { store } = this.#options;
    const counts = { recording: 0, upload: 0, publish: 0, other: await store.objects.edgeSize(SYSTEM_EDGES.jobs) };
    let after: string | undefined;
    for (let counted = 0; counted < COUNTED_MAX; counted += COUNTED_PAGE) {
      const query = { limit: COUNTED_PAGE, ascending: true, ...(after === undefined ? {} : { after }) };
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
    // Jobs that came since the first question.
    counts.other = Math.max(0, counts.other);
    return counts;
  }

  /** Something may be due: every process looks. */
  wake(): void {
    this.#options.store.bus.publish(TOPIC.jobs, {});
    this.#runner?.look();
  }
}
