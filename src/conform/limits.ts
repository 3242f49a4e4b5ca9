/** Bounds on what a run does to a peer, each with its reason. */
export const CONFORM_LIMITS = {
  /** Wait for an answer. A loaded server answers a command within a second. */
  timeoutMs: 3_000,
  /** Wait for an answer behind thousands of messages, or a megabyte of AMF. */
  floodMs: 10_000,
  /** One case, beside the deadline of the peer that it waits for. The longest takes 10 s where each answer comes. */
  caseMs: 60_000,
  /** Opening a connection, with its TLS handshake. */
  openMs: 10_000,
  /** A peer that does not end its side of a connection. */
  closeGraceMs: 1_000,
  /** Bytes that one case sends: four times the largest message that RTMP can declare. */
  sentBytes: 64 * 1024 * 1024,
  /** Bytes kept of what a peer sends to one connection. */
  receivedBytes: 4 * 1024 * 1024,
  /** Bytes sent before a pause, so that a flood stays below 100 MB/s. */
  burstBytes: 1024 * 1024,
  burstPauseMs: 10,
  /** Cases without a stream key run side by side on this many connections. */
  parallel: 8,
  /** Connections that one case opens. */
  connections: 40,
  /** A key whose last publish has just ended may be busy for a moment. */
  busyRetries: 5,
  busyPauseMs: 400,
  /** Attempts to connect before a peer counts as dead: a supervisor may start it again. */
  deadAttempts: 4,
  /** A process that is ending may still accept a connection, and closes it. */
  aliveMs: 200,
} as const;
