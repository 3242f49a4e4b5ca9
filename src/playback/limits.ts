/** Every bound of playback, with its reason. */
export const PLAYBACK_LIMITS = {
  /** Previews for the people of a broadcast, not distribution to an audience: each costs this process its bit rate once. */
  viewers: 200,
  /** Broadcasts that are watched at one time; each may hold `gopBytes`. */
  streams: 32,
  /** The start for a viewer is a whole group of pictures: 10 s at 6 Mbit/s are 7.5 MB. Beyond that the viewer does not read. */
  viewerBytes: 8 * 1024 * 1024,
  /** A viewer whose waiting bytes do not become fewer for this long does not read. */
  viewerStalledMs: 10_000,
  /** Nothing came for a viewer for this long: the encoder is gone, or the child cannot be started. */
  viewerIdleMs: 20_000,
  /** Another server says nothing for so long, longer than it lets a viewer of its own wait: it is gone. */
  forwardIdleMs: 25_000,
  /** A page that is loaded again finds the relay still there. */
  lingerMs: 3_000,
  /** What the relay keeps since the last key frame, so that a new child begins where the old one ended. */
  gopBytes: 8 * 1024 * 1024,
  gopMessages: 4_096,
  /** Of the stream, kept while no child runs: more would put viewers further behind than a short gap is worth. */
  outageMs: 5_000,
  /** Written to the child and not read by it; then the relay is dropped, and begins again with a key frame. */
  relayBytes: 8 * 1024 * 1024,
  /** From connecting to the child until it takes media. */
  relayStartMs: 5_000,
  /** For the child to read the last of a stream. */
  relayEndMs: 1_000,
  /** Pause before a lost connection to the child is made again. */
  retryMs: 100,
  /** One FLV tag: the size field has 24 bits. */
  tagBytes: 16 * 1024 * 1024 + 15,
  /** What a viewer may say over a WebSocket: control frames, RFC 6455 5.5. */
  controlFrameBytes: 131,
  /** For the process that receives a stream to say so. */
  hostAnswerMs: 1_000,
  /** A process that died may have sent this much more than the time that passed: the pictures before the first viewer came. */
  hostGoneLeadMs: 10_000,
  tickMs: 1_000,
  /** Viewer counts are told again at least this often, so that whoever keeps them may let them expire. */
  tellMs: 5_000,
} as const;

export const CHILD_LIMITS = {
  /** Loading its packages takes half a second on one slow core. */
  startMs: 15_000,
  /** Pause before the next start: doubled from the first to the last for as long as it does not live `soundMs`. */
  firstPauseMs: 50,
  lastPauseMs: 10_000,
  soundMs: 10_000,
  /** A child that does not answer three of these in a row hangs, and is killed. */
  pingMs: 2_000,
  pingsMissed: 3,
  /** Of what it wrote to standard error, for the log line of its end. */
  errorBytes: 2_048,
} as const;

export const HLS_LIMITS = {
  /** One ffmpeg each, which copies and does not code. */
  previews: 8,
  /** Nobody asked for so long: the preview ends. */
  idleMs: 30_000,
  /** The first playlist comes with the first whole segment, so after two key frames. */
  firstPlaylistMs: 15_000,
  pollMs: 100,
  /** Players ask for the playlist at least this often, and so have seen its end. */
  endShownMs: 6_000,
  segmentSeconds: 2,
  segmentsListed: 6,
  /** Players that are told apart by their ticket. */
  sessions: 1_000,
  errorBytes: 2_048,
} as const;

/** How long a ticket opens the door; what it opened stays open while it is used. */
export const TICKET_MS = 10 * 60_000;
/** The longest that anybody may ask for. */
export const TICKET_MAX_MS = 24 * 3_600_000;
