/** All limits of playback, with their reasons. */
export const PLAYBACK_LIMITS = {
  /** Viewers per process, for monitoring rather than distribution: each one costs this process the stream's bitrate. */
  viewers: 200,
  /** Broadcasts watched at the same time; each may hold `gopBytes`. */
  streams: 32,
  /** Unsent bytes of one viewer. Playback starts with a whole GOP: 10 s at 6 Mbit/s are 7.5 MB. */
  viewerBytes: 8 * 1024 * 1024,
  /** A viewer whose unsent bytes do not decrease for this long has stopped reading. */
  viewerStalledMs: 10_000,
  /** Without data for this long, the encoder is gone or the child cannot start. */
  viewerIdleMs: 20_000,
  /** Without data from the other server for this long, it is gone; longer than that server's own `viewerIdleMs`. */
  forwardIdleMs: 25_000,
  /** The relay stays this long after its last viewer, so that a page reload finds it running. */
  lingerMs: 3_000,
  /** Packets kept since the last key frame, so that a new child continues where the old one ended. */
  gopBytes: 8 * 1024 * 1024,
  gopMessages: 4_096,
  /** Media kept while no child runs. More would put viewers further behind live than a short gap is worth. */
  outageMs: 5_000,
  /** Bytes that the child has not read. Beyond this the link is dropped and restarted at a key frame. */
  relayBytes: 8 * 1024 * 1024,
  /** From connecting to the child until it accepts media. */
  relayStartMs: 5_000,
  /** Time for the child to read the last bytes of a stream. */
  relayEndMs: 1_000,
  /** Pause before reconnecting to the child. */
  retryMs: 100,
  /** One FLV tag: the size field has 24 bits, plus header and back pointer. */
  tagBytes: 16 * 1024 * 1024 + 15,
  /** Longest WebSocket frame from a viewer: a masked control frame, RFC 6455 5.5. */
  controlFrameBytes: 131,
  /** Time for the process that receives a stream to answer. */
  hostAnswerMs: 1_000,
  /** Ended broadcasts that new viewers are refused for: more than end before the other processes know. */
  endedKept: 1_000,
  /** How far the media time that a dead process had sent may exceed the elapsed time: the GOP that it sent first. */
  hostGoneLeadMs: 10_000,
  tickMs: 1_000,
  /** Viewer counts are reported at least this often, so that the receiver may let them expire. */
  reportMs: 5_000,
} as const;

export const CHILD_LIMITS = {
  /** Loading the packages takes half a second on one slow core. */
  startMs: 15_000,
  /** Pause before a restart: doubled from the first to the last value while the child lives for less than `soundMs`. */
  firstPauseMs: 50,
  lastPauseMs: 10_000,
  soundMs: 10_000,
  /** A child that misses three pings in a row is killed. */
  pingMs: 2_000,
  pingsMissed: 3,
  /** Bytes of standard error that are logged when the child ends. */
  errorBytes: 2_048,
} as const;

export const HLS_LIMITS = {
  /** Each runs one ffmpeg, which copies and does not transcode. */
  previews: 8,
  /** A preview without requests for this long is ended. */
  idleMs: 30_000,
  /** The first playlist comes with the first complete segment, that is after two key frames. */
  firstPlaylistMs: 15_000,
  pollMs: 100,
  /** Players reload the playlist at least this often, so all of them have seen its end by then. */
  endShownMs: 6_000,
  /** Six names and durations are 300 bytes. */
  playlistBytes: 65_536,
  segmentSeconds: 2,
  segmentsListed: 6,
  /** Player sessions of one preview, distinguished by address and ticket. */
  sessions: 1_000,
  errorBytes: 2_048,
} as const;

/** Default lifetime of a ticket. Playback that it started continues after it expires. */
export const TICKET_MS = 10 * 60_000;
/** Longest lifetime that a caller may request. */
export const TICKET_MAX_MS = 24 * 3_600_000;
