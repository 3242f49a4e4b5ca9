/** Limits of the media jobs of one process, with their reasons. */
import type { Lane } from './job.js';

export interface LaneLimits {
  /** Concurrent jobs in the lane. */
  readonly slots: number;
  /** Jobs of one owner: fewer than all, so that a slot stays free for other owners. */
  readonly perOwner: number;
}

export const LANES: Readonly<Record<Lane, LaneLimits>> = {
  /** Scheduled publishing writes one document and must not wait for media work. */
  publish: { slots: 1, perOwner: 1 },
  /** Probes, copies and pictures use the disk and at most one core. A file that hangs ffprobe holds a slot for a minute. */
  copy: { slots: 3, perOwner: 2 },
  /** One is enough: a short conversion ends within seconds or leaves the lane. */
  short: { slots: 1, perOwner: 1 },
  /** A conversion uses all cores and some 700 MB, for hours. The second slot is for another owner. */
  long: { slots: 2, perOwner: 1 },
};

/** Slots of all lanes: the number of concurrent ffmpeg and ffprobe runs. */
export const SLOTS = Object.values(LANES).reduce((sum, lane) => sum + lane.slots, 0);

/**
 * A short conversion that takes this long moves to the long lane when another owner waits for its slot. With the poll
 * interval of 2 s, that owner's short conversion starts within 5 s.
 */
export const SHORT_SLICE_MS = 3_000;

/** Due jobs read per poll, oldest first. A poll reads only the index; 10,000 entries take about 10 ms. */
export const LOOKED_AT = { page: 1_000, most: 10_000 } as const;

/** Owners whose last turn is remembered, with or without waiting jobs: sending files one by one must not make an owner new. */
export const OWNERS_KEPT = 10_000;

export const JOB_TIMES = {
  leaseMs: 15_000,
  renewMs: 4_000,
  /** Poll interval for due jobs without a notification. */
  pollMs: 2_000,
  /** A process that runs jobs starts within it, so one is started for a job that is due as soon, and none ends before. */
  soonMs: 2_000,
  firstRetryMs: 5_000,
  longestRetryMs: 600_000,
  failuresMax: 6,
  /** At shutdown, jobs that do not stop in this time are left to the next process. */
  closeMs: 10_000,
} as const;
