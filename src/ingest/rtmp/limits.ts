/** Limits on untrusted RTMP connections, each with its reason. */
export const CONNECTION_LIMITS = {
  /** Time from accept to an accepted publish. Encoders publish within a second of connecting. */
  connectToPublishMs: 10_000,
  /** Time from a publish to its answer: longer than it is held before and after it is admitted. librtmp waits 30 s. */
  publishAnswerMs: 27_000,
  /** Notices that wait for the answer to a publish: more than the rules that can fail without a packet. */
  earlyNotices: 32,
  /** A publisher that sends no byte for this long counts as disconnected. */
  idlePublisherMs: 30_000,
  /**
   * A publish is read as it arrives for this long: what its settings break is known after the first key frames, and its
   * encoder's user is looking. Afterwards it may be read at intervals.
   */
  steadyMs: 10_000,
  /** Between two decisions on how a publish is read. */
  paceMs: 1_000,
  /** More connections than this without a steady publish are a herd: their code hardly runs again. */
  herd: 8,
  /** Time between the closing status and destroying the socket: OBS ignores the FIN. */
  closeGraceMs: 500,
  /** Connections of one address (IPv6: of one /64) that are not yet publishing. */
  connectionsPerAddress: 64,
  /** Between two looks at what the kernel holds for the connections: 1 ms of CPU each. */
  receiveQueueMs: 5_000,
  /** Bytes waiting to be sent to a peer that does not read. */
  outgoingBytes: 1_048_576,
} as const;

/** Codes of errors that mean a limit of `src/rtmp/limits.ts`: they leave a line in the audit log. */
export const LIMIT_CODES: ReadonlySet<string> = new Set([
  'AMF_STRING_TOO_LONG',
  'AMF_TOO_DEEP',
  'AMF_TOO_MANY_ENTRIES',
  'RTMP_CHUNKS_TOO_SMALL',
  'RTMP_DATA_TOO_LONG',
  'RTMP_MESSAGE_TOO_LONG',
  'RTMP_TOO_MANY_CHUNK_STREAMS',
  'RTMP_TOO_MANY_IGNORED',
  'RTMP_TOO_MANY_PUBLISHES',
  'RTMP_UNFINISHED_TOO_LARGE',
]);
