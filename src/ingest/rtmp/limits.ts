/** Limits on untrusted RTMP connections, each with its reason. */
export const CONNECTION_LIMITS = {
  /** A TLS handshake takes a few round trips; a slower one is a Slowloris attack. */
  tlsHandshakeMs: 5_000,
  /** A proxy sends its header with the first bytes. */
  proxyHeaderMs: 5_000,
  /** Time from accept to an accepted publish. Encoders publish within a second of connecting. */
  connectToPublishMs: 10_000,
  /** A publisher that sends no byte for this long counts as disconnected. */
  idlePublisherMs: 30_000,
  /** Time between the closing status and destroying the socket: OBS ignores the FIN. */
  closeGraceMs: 500,
  /** Connections of one address (IPv6: of one /64) that are not yet publishing. */
  connectionsPerAddress: 64,
  /** Bytes waiting to be sent to a peer that does not read. */
  outgoingBytes: 1_048_576,
} as const;
