/** Limits of disk use, with their reasons. The reserve that stays free is a setting. */
export const DISK = {
  /**
   * Interval of the free-space check near the reserve. 300 publishers of 9 Mbps write about 340 MB in it, and 256 MiB may
   * wait in memory (`RECORDER.queueBytesAll`): a reserve should be larger than both.
   */
  checkMs: 1_000,
  /** Interval while the free space above the reserve cannot be used up in it. */
  rareCheckMs: 10_000,
  /** No disk of a server takes more from all its writers. */
  fastestBytesPerSecond: 4 * 1024 ** 3,
  /** Recording resumes at the reserve times this, so that it does not toggle. */
  resumeFactor: 1.2,
  /**
   * Part of the reserve that conversions may use: the video of a recording is made next to its segments, which are then
   * freed, so that a disk full of segments can recover.
   */
  conversionPart: 0.5,
  /** Part of the reserve at which a running conversion is aborted. The rest belongs to the store and the journal. */
  abortPart: 0.25,
  /** Retry interval of a conversion that found no space. */
  retryMs: 30_000,
} as const;
