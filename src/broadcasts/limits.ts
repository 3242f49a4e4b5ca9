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
  /** Broadcasts whose last fence a process remembers: a lease that was not released ends 10 s later. */
  usedFences: 10_000,
  /** Characters of the encoder's name in a record of a refusal. */
  encoderName: 100,
  /** Duration of a publish lease, and its renewal interval. */
  leaseMs: 10_000,
  leaseRenewMs: 3_000,
  /** Interval of a process's signs of life, and how long one counts. A takeover is due 2 s after a holder has died. */
  proveAliveMs: 500,
  aliveMs: 1_500,
  /** After an outage of the store, others may reconnect later than this process: by a pause of 0.25 s, and a sign. */
  aliveAfterOutageMs: 2_000,
  /** Time to reconnect after a call that got no answer for `noAnswerMs`: others may wait for a timeout of 2.5 s. */
  aliveAfterHangMs: 4_500,
  noAnswerMs: 1_000,
  /** A process that stood still for longer checks its leases before it writes: shorter than a sign counts, less its interval. */
  stalledMs: 800,
  /**
   * It waits for the answer this long, more than a timeout and a reconnect take. Beyond, the store is away, and the process goes
   * on as one that did not stand still.
   */
  verifyMs: 4_500,
  /** Holders whose signs are remembered: far more than processes share a store. */
  knownHolders: 1_000,
  /** A judge that goes on with a broadcast waits this long until the store has what the journal of its process has. */
  recordsStoredMs: 1_000,
  /** A publish that meets another publisher, or no store, waits this long: encoders wait longer for an answer. */
  heldMs: 5_000,
  /**
   * A publish waits this long when calls of the embedded store time out: on a machine with too much work, two of them took
   * the 5 s, and no other server can take the publish. Also after an outage, while it is not known whether the other publisher is alive.
   * librtmp waits 30 s for its answer.
   */
  heldForStoreMs: 12_000,
  /** A shorter wait leaves no backlog in the encoder that a rule could notice. */
  heldBacklogMs: 1_000,
  /** How long the end of a backlog waits for a key frame: the longest interval that the specification allows. */
  heldBacklogKeyFrameMs: 4_000,
  /** Meanwhile it looks this often whether it may go on, and every so many looks in the store. */
  heldPollMs: 100,
  heldStoreLooks: 3,
  /**
   * Intervals at which an input stream that stands by tries for the air while another process has it, and for how long a
   * process that has it knows by that of the other one.
   */
  airTryMs: 300,
  airWantedMs: 1_500,
  /** An input stream that was asked for while it was silent has this long to send again. */
  airAskedMs: 10_000,
  /** A process that gave up the air leaves it to the other one for this long. */
  airLeftMs: 2_000,
  /** Interval at which two input streams are compared, and how long after LIVE both are expected. */
  compareInputsMs: 2_000,
  backupDueMs: 60_000,
  /** Interval of saving the judge's state for recovery after a crash. */
  checkpointMs: 5_000,
  /** Interval of sharing stream health with other processes. */
  healthMs: 2_000,
  /** How long a report counts as current, and how long it is kept: until the sweep has found that its process died. */
  healthCurrentMs: 4_000,
  healthKeptMs: 30_000,
  /** Stream that a killed process had received and not yet written to its recording. */
  unwrittenMs: 500,
  /** Period of the one clock that drives deadlines and the rules judged by arrival time. */
  tickMs: 100,
  /** Interval while there is no connection and no broadcast: only the sweeps run, and the process wakes up less often. */
  idleTickMs: 1_000,
  /** Intervals of the sweeps for passed deadlines and for broadcasts whose holder died. */
  deadlineSweepMs: 1_000,
  lostSweepMs: 5_000,
  /** A pause of the stream, after which the kernel is asked for lost packets: TCP waits 200 ms for each. */
  pauseMs: 200,
  /** After a tick that was late, pauses of a stream count as the server's for as long as no other cause is named. */
  lateMs: 10_000,
  /** Stream time that a preflight judges. */
  preflightMs: 20_000,
  /** Wall time from accepted publish to verdict: the stream time above plus 5 s for the encoder to start. */
  preflightWallMs: 25_000,
  /** Longer than a preflight with its closing; bounds how long a killed process blocks further preflights of the key. */
  preflightLeaseMs: 30_000,
} as const;

/** Samples of pictures, by which black ones that are not flat are found. */
export const PICTURE_TURNS = {
  /** One costs some 80 ms of processor time: half of the share of a processor that pictures have. */
  everyMs: 640,
  /** Wait for their key frames at a time; the media process takes 8. */
  atOnce: 4,
  /** Longer than key frames are apart: the sender has paused. */
  heldMs: 10_000,
} as const;
