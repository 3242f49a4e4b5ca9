/** Every limit against strangers on the ingest side (DESIGN section 6), each with its reason. */
export const INGEST_LIMITS = {
  /** A real TLS hello takes a few round trips; slower is a slow-loris. */
  tlsHandshakeMs: 5_000,
  /** A proxy writes its header with the first bytes. */
  proxyHeaderMs: 5_000,
  /** From accept to an accepted publish. Encoders publish within a second of connecting. */
  connectToPublishMs: 10_000,
  /** A publisher that sends no byte for this long has gone. */
  idlePublisherMs: 30_000,
  /** Time between telling an encoder that it is over and destroying its socket (OBS does not see a FIN). */
  closeGraceMs: 500,
  /** An older publisher silent for this long loses its key to a newer one. */
  takeOverSilenceMs: 3_000,
  /** Connections of one address (IPv6: of one /64) that are not yet publishing. */
  connectionsPerAddress: 64,
  /** Bytes waiting to be sent to a peer that does not read. */
  outgoingBytes: 1_048_576,
  /** One push a second for each rule: ffmpeg reads one message in ten packets. */
  pushIntervalMs: 1_000,
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
  /** One clock for all connections: deadlines and rules judged by arrival look at it this often. */
  tickMs: 100,
  /** Seconds of stream that a preflight judges. */
  preflightMs: 20_000,
  /** From its accepted publish to the verdict, whatever arrived: the stream above, and 5 s for an encoder to start. */
  preflightWallMs: 25_000,
  /** Longer than a preflight with its closing; a process that was killed leaves the key locked for no longer. */
  preflightLeaseMs: 30_000,
} as const;
