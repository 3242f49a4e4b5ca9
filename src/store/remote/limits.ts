/** Bounds on the way between the store process and those that ask it. */

export const REMOTE_LIMITS = {
  /** A call without an answer for so long fails, as it does with Redis. */
  callMs: 2_500,
  /** The longest frame: a commit with the largest document, or a batch of the journal, is far below it. */
  frameBytes: 32 * 1_024 * 1_024,
  /** What may wait for a process that does not read. Beyond it the connection ends; events are read again by revision. */
  waitingBytes: 8 * 1_024 * 1_024,
  /** Calls of one process that wait for their answers before the server stops reading from it. */
  callsUnderWay: 1_024,
  /** Connections to the store process: a few for each role, and commands beside them. */
  clients: 256,
  /** The first try again after a loss, and the longest wait between two. */
  backoffFirstMs: 20,
  backoffMaxMs: 1_000,
  /** How often a connection without calls is asked whether it still answers. */
  aliveMs: 5_000,
  /** How long an open waits for a store process that is still starting, unless the caller says otherwise. */
  openMs: 1_500,
} as const;
