/** Limits of a forward, each with its reason. */
export const FORWARD_LIMITS = {
  /** Media that waits for a slow target: more would put it further behind live than a gap is worth. */
  queueMs: 8_000,
  /** Bytes that wait: 8 s at 16 Mbit/s. */
  queueBytes: 16 * 1024 * 1024,
  /** Media that waits for all targets of an owner together. */
  ownerQueueBytes: 64 * 1024 * 1024,
  /** Media that waits for all targets of the process. */
  processQueueBytes: 256 * 1024 * 1024,
  /** Packets of a broadcast that wait for the forward process: 8 s at 8 Mbit/s, more than its start takes. */
  feedBytes: 8 * 1024 * 1024,
  /** Until the forward process is asked for again. */
  feedRetryMs: 200,
  /** The clock of the forward process. */
  tickMs: 100,
  /** Each state is written at least this often, and at once when it changes. */
  reportMs: 700,
  /** Broadcasts without a stream are compared with the store this often, for changes that were not heard of. */
  checkMs: 5_000,
  /** The process without a broadcast ends after this. */
  idleMs: 60_000,
  /** From the connection attempt to the answer to the publish: name, TCP, TLS, RTMP. An ingest holds a publish for up to 5 s. */
  connectMs: 15_000,
  /** A target that takes no byte for this long while some wait is left. */
  stallMs: 10_000,
  /** Time for the target to read the end of the stream. */
  closeMs: 2_000,
  /** The pause before a new attempt doubles from the first to the longest. */
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  /** Share by which a pause varies, so that the forwards of a target that returns do not connect at one time. */
  jitter: 0.2,
  /** A key or a name that was refused is seldom right a second later. */
  refusedRetryMs: 60_000,
  /** A connection that published for this long was a sound one: the next pause is the first one again. */
  soundMs: 10_000,
  /** A target may take a connection that has just broken for one that still publishes, and refuse the next one for it. */
  leftOverMs: 30_000,
  /** `healthy`: so long without an open error before the first packet goes out. */
  healthyMs: 10_000,
  /** A forward counts as behind for this long after the last cut. */
  behindMs: 10_000,
  /** Audio without video: after so many packets each of them is a starting point. */
  audioOnlyPackets: 50,
  /** Packets of sound that are kept until the first key frame: as many as arrive within a second. */
  earlyPackets: 64,
  /** Interval over which the rate is measured. */
  rateMs: 3_000,
  /** Text of a target that is kept and shown. */
  wordsLength: 500,
  /** Between two writes of a broadcast to the forward process, and so to its targets: a fifth of the processor time of a write at each packet. */
  gatherMs: 200,
} as const;
