/** Every bound of the media jobs of one process, with its reason. */
import type { Lane } from './job.js';

export interface LaneLimits {
  /** Jobs of the lane at one time. */
  readonly slots: number;
  /** Of these for one owner: fewer than all, so that a job of another owner finds one free. */
  readonly perOwner: number;
}

export const LANES: Readonly<Record<Lane, LaneLimits>> = {
  /** Scheduled publishing writes one document: it waits for no media. */
  publish: { slots: 1, perOwner: 1 },
  /** Probes, copies and pictures use the disk and one core at most. A file that makes ffprobe hang holds a slot for a minute. */
  copy: { slots: 3, perOwner: 2 },
  /** Short conversions: one is enough, since each is over in seconds or leaves the lane. */
  short: { slots: 1, perOwner: 1 },
  /** A conversion uses all cores and some 700 MB, for hours. The second slot is for another owner. */
  long: { slots: 2, perOwner: 1 },
};

/** Slots of all lanes: as many runs of ffmpeg and ffprobe may be asked for at one time. */
export const SLOTS = Object.values(LANES).reduce((sum, lane) => sum + lane.slots, 0);

/**
 * A short conversion that took so long goes to the long lane when another owner waits for its slot. With the interval at
 * which jobs are looked for (2 s) a short conversion of that owner begins within 5 s.
 */
export const SHORT_SLICE_MS = 3_000;

/** Due jobs that are looked at, oldest first. A look reads their index only; 10,000 entries take some 10 ms. */
export const LOOKED_AT = { page: 1_000, most: 10_000 } as const;

/** Owners whose last turn is remembered, also while they have no job: one that sends its files one by one is not new each time. */
export const OWNERS_KEPT = 10_000;

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
