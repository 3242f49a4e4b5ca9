/** A unit of work that must survive crashes and restarts. Stored as an object of kind `job`. */
import type { StoredObject } from '../../ports/index.js';

const JOB_TYPES = ['recording', 'upload', 'publish', 'fingerprint'] as const;
export type JobType = (typeof JOB_TYPES)[number];

/** Each lane has its own slots, so that no job waits for a job of another lane. In order of cost. */
export const LANE_NAMES = ['publish', 'copy', 'short', 'long'] as const;
export type Lane = (typeof LANE_NAMES)[number];

export interface JobData {
  readonly type: JobType;
  /** Id of the video; for `recording`, of the live video. */
  readonly subjectId: string;
  /** Failed attempts so far. */
  readonly failures: number;
  readonly lastError?: string;
  /** Absent: the initial lane of the job's type. */
  readonly lane?: Lane;
  /** W3C trace context of the request or publish that added the job. */
  readonly traceparent?: string;
  readonly [field: string]: unknown;
}

export type Job = StoredObject<JobData>;

export interface JobWorker {
  /** Works until done; throws when `signal` aborts (lease lost or shutdown). */
  run(job: Job, signal: AbortSignal): Promise<void>;
  /** The job failed permanently. */
  giveUp(job: Job, error: unknown): Promise<void>;
  /** The job failed and will be retried. */
  delayed?(job: Job, error: unknown): Promise<void>;
}

export type JobWorkers = Readonly<Record<JobType, JobWorker>>;

/** The type of a job with this id. */
export const jobTypeOf = (id: string): JobType | undefined => JOB_TYPES.find((type) => id.startsWith(`job-${type}-`));

export function laneOf({ type, lane }: JobData): Lane {
  // The lane may come from a newer version.
  return LANE_NAMES.find((name) => name === lane) ?? (type === 'publish' ? 'publish' : 'copy');
}

/** The rest of the job belongs to another lane and waits for a slot there. Not a failure. */
export class OtherLaneError extends Error {
  override readonly name = 'OtherLaneError';
  readonly code = 'JOB_OTHER_LANE';
  readonly lane: Lane;
  constructor(lane: Lane) {
    super(`the job continues in the lane ${lane}`);
    this.lane = lane;
  }
}

/** The job cannot succeed: it is dropped without retries. */
export class FinalJobError extends Error {
  override readonly name = 'FinalJobError';
  readonly code = 'JOB_FINAL';
}

/** Too early: retried later without counting as a failure. */
export class JobNotYetError extends Error {
  override readonly name = 'JobNotYetError';
  readonly code = 'JOB_NOT_YET';
  readonly retryMs: number;
  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}
