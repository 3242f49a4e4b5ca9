/** Limits between the store process and its clients. */

export const REMOTE_LIMITS = {
  /** Timeout of a call, as with Redis. */
  callMs: 2_500,
  /** Maximum frame; a commit with the largest document or a batch of the journal is far smaller. */
  frameBytes: 32 * 1_024 * 1_024,
  /** Bytes that may wait for a process that does not read. Above this the connection is closed; readers resume by revision. */
  waitingBytes: 8 * 1_024 * 1_024,
  /** Pending calls of one process above which the server stops reading from it. */
  callsUnderWay: 1_024,
  /** Connections to the store process: a few per role, plus commands. */
  clients: 256,
  /** First and longest wait before a reconnect. */
  backoffFirstMs: 20,
  backoffMaxMs: 1_000,
  /** Interval of pings on an idle connection. */
  aliveMs: 5_000,
  /** Default time that an open waits for a store process that is still starting. */
  openMs: 1_500,
} as const;
