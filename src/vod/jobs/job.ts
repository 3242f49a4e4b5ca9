/** A piece of work that must be done some day, whatever dies in between. Kept in the store as an object of kind `job`. */
import type { StoredObject } from '../../ports/index.js';

export const JOB_TYPES = ['recording', 'upload', 'publish'] as const;
export type JobType = (typeof JOB_TYPES)[number];

/** Lanes have slots of their own, so that no job waits for one of another lane. In order of what their jobs cost. */
export const LANE_NAMES = ['publish', 'copy', 'short', 'long'] as const;
export type Lane = (typeof LANE_NAMES)[number];

export interface JobData {
  readonly type: JobType;
  /** The video, or for `recording` the live video. */
  readonly subjectId: string;
  /** Attempts that failed so far. */
  readonly failures: number;
  readonly lastError?: string;
  /** Absent: the lane in which a job of its type begins. */
  readonly lane?: Lane;
  readonly [field: string]: unknown;
}

export type Job = StoredObject<JobData>;

export interface JobWorker {
  /** Works until done or `signal` aborts (the lease was lost, or the process ends): then it throws. */
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** It failed for good. */
  giveUp(job: Job, error: unknown): Promise<void>;
  /** It failed and will be tried again. */
  delayed?(job: Job, error: unknown): Promise<void>;
}

export type JobWorkers = Readonly<Record<JobType, JobWorker>>;

/** What a job of this id does. */
export const jobTypeOf = (id: string): JobType | undefined => JOB_TYPES.find((type) => id.startsWith(`job-${type}-`));

export function laneOf({ type, lane }: JobData): Lane {
  // A lane of a newer version of the server is unknown here.
  return LANE_NAMES.find((name) => name === lane) ?? (type === 'publish' ? 'publish' : 'copy');
}

/** What is left of the job belongs to another lane: it waits for a slot there. No failure. */
export class OtherLaneError extends Error {
  override readonly name = 'OtherLaneError';
  readonly code = 'JOB_OTHER_LANE';
  readonly lane: Lane;
  constructor(lane: Lane) {
    super(`the job continues in the lane ${lane}`);
    this.lane = lane;
  }
}

/** The job cannot succeed however often it is tried: it is given up at once. */
export class FinalJobError extends Error {
  override readonly name = 'FinalJobError';
  readonly code = 'JOB_FINAL';
}

/** It is too early: tried again later without counting as a failure. */
export class JobNotYetError extends Error {
  override readonly name = 'JobNotYetError';
  readonly code = 'JOB_NOT_YET';
  readonly retryMs: number;
  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}
