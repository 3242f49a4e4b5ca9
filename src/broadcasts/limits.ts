/** Limits of running broadcasts, for all protocols, each with its reason. */
export const BROADCAST_LIMITS = {
  /** A publisher that is silent for this long loses its stream key to a newer one. */
  takeOverSilenceMs: 3_000,
  /** At most one notice per second and rule: ffmpeg reads one message per ten packets. */
  noticeIntervalMs: 1_000,
  /** Wrong or unknown keys per address before `too-many-wrong-keys`, and the window in which they are counted. */
  wrongKeysPerAddress: 20,
  wrongKeysWindowMs: 60_000,
  /** 6102 records of a broadcast, each of one reason, address and encoder. An encoder that retries counts on its record. */
  refusalRecords: 100,
  /** Broadcasts whose numbering of refusals a process remembers; a forgotten one continues under a new fence. */
  refusalNumberings: 1_000,
  /** 5 s, two reports of stream health and a delay: a process that holds a key and sends none meanwhile has died. */
  refusalQuestions: 10,
  refusalQuestionMs: 500,
  /** Characters of the encoder's name in a record of a refusal. */
  encoderName: 100,
  /** Duration of a publish lease, and its renewal interval. */
  leaseMs: 10_000,
  leaseRenewMs: 3_000,
  /** Interval of saving the judge's state for recovery after a crash. */
  checkpointMs: 5_000,
  /** Interval of sharing stream health with other processes. */
  healthMs: 2_000,
  /** Period of the one clock that drives deadlines and the rules judged by arrival time. */
  tickMs: 100,
  /** The same while there is no connection and no broadcast: only the sweeps run, and the process wakes up less often. */
  idleTickMs: 1_000,
  /** Intervals of the sweeps for passed deadlines and for broadcasts whose holder died. */
  deadlineSweepMs: 1_000,
  lostSweepMs: 5_000,
  /** Stream time that a preflight judges. */
  preflightMs: 20_000,
  /** Wall time from accepted publish to verdict: the stream time above plus 5 s for the encoder to start. */
  preflightWallMs: 25_000,
  /** Longer than a preflight with its closing; bounds how long a killed process blocks further preflights of the key. */
  preflightLeaseMs: 30_000,
} as const;
