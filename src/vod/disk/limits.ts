/** Bounds of what is kept on the disk, with their reasons. How much of it stays free is a setting. */
export const DISK = {
  /**
   * Between two looks at the free space. With 300 publishers of 9 Mbps some 340 MB arrive in it, and 256 MiB may
   * wait in memory (`RECORDER.queueBytesAll`): a reserve should be larger than both.
   */
  checkMs: 1_000,
  /** Recording resumes above the reserve times this, so that it does not stop and resume all the time. */
  resumeFactor: 1.2,
  /**
   * Part of the reserve that conversions may use to begin with: the video of a recording is made beside its segments, which it
   * then frees, so that a disk full of segments is emptied again.
   */
  conversionPart: 0.5,
  /** Part of the reserve at which a running conversion is aborted. What is left belongs to the store and the journal. */
  abortPart: 0.25,
  /** A conversion that found no room is tried again after this. */
  retryMs: 30_000,
} as const;
