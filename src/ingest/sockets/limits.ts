/** Limits on connections before a protocol reads them, each with its reason. */
export const SOCKET_LIMITS = {
  /**
   * Connections that begin in one turn of the event loop. Those that came earlier are advanced in each turn, so a herd is worked
   * off in order; if all began at once, each would take as long as all of them, and run into the limits of its protocol.
   */
  beginPerTurn: 8,
  /** A TLS handshake takes a few round trips; a slower one is a Slowloris attack. */
  tlsHandshakeMs: 5_000,
  /** A proxy sends its header with the first bytes. */
  proxyHeaderMs: 5_000,
  /** Connections whose out-of-order segments are counted at once: 4 ms of CPU, more with each. */
  segmentCounts: 64,
} as const;
