/** Every limit against strangers on an RTMP connection (DESIGN section 6), each with its reason. */
export const CONNECTION_LIMITS = {
  /** A real TLS hello takes a few round trips; slower is a slow-loris. */
  tlsHandshakeMs: 5_000,
  /** A proxy writes its header with the first bytes. */
  proxyHeaderMs: 5_000,
  /** From accept to an accepted publish. Encoders publish within a second of connecting. */
  connectToPublishMs: 10_000,
  /** A publisher that sends no byte for this long has gone. */
  idlePublisherMs: 30_000,
  /** Time between the closing status and destroying the socket: OBS does not see a FIN. */
  closeGraceMs: 500,
  /** Connections of one address (IPv6: of one /64) that are not yet publishing. */
  connectionsPerAddress: 64,
  /** Bytes waiting to be sent to a peer that does not read. */
  outgoingBytes: 1_048_576,
} as const;
