/** Every limit of running broadcasts, whatever protocol brings them, each with its reason. */
export const BROADCAST_LIMITS = {
  /** An older publisher silent for this long loses its key to a newer one. */
  takeOverSilenceMs: 3_000,
  /** One notice a second for each rule: ffmpeg reads one message in ten packets. */
  noticeIntervalMs: 1_000,
  /** Wrong or unknown keys of one address before it is refused unheard, and the time over which they are counted. */
  wrongKeysPerAddress: 20,
  wrongKeysWindowMs: 60_000,
  /** How long a publish lease lasts and how often it is renewed. */
  leaseMs: 10_000,
  leaseRenewMs: 3_000,
  /** How often the judge's state is saved for a return after a crash. */
  checkpointMs: 5_000,
  /** How often running health is shared with other processes. */
  healthMs: 2_000,
  /** One clock for all publications: deadlines and rules judged by arrival look at it this often. */
  tickMs: 100,
  /** How often deadlines in the store are looked up, and broadcasts whose holder died. */
  deadlineSweepMs: 1_000,
  lostSweepMs: 5_000,
  /** Seconds of stream that a preflight judges. */
  preflightMs: 20_000,
  /** From its accepted publish to the verdict, whatever arrived: the stream above, and 5 s for an encoder to start. */
  preflightWallMs: 25_000,
  /** Longer than a preflight with its closing; a process that was killed leaves the key locked for no longer. */
  preflightLeaseMs: 30_000,
} as const;
