/** Every bound of the live feed and of what is kept for it, with its reason. */
export const FEED_LIMITS = {
  /** A page holds one socket, an operator's wall a few; beyond this the memory for buffers is the server's, not theirs. */
  sockets: 1_000,
  /** Of one token: an operator's wall of screens, and pages whose broken connection has not been noticed yet. */
  socketsPerToken: 32,
  /** Of one dock link: one person at one encoder, with a second screen, and as many that are not noticed yet. */
  socketsPerLink: 8,
  /** Sockets that have not shown a token yet; the oldest gives way to the next. */
  waiting: 200,
  /** Time for the first message. */
  subscribeMs: 10_000,
  /** The longest subscription: 200 ids with a revision each, and a token. */
  messageBytes: 32 * 1024,
  tokenLength: 4_096,
  broadcastsNamed: 200,
  /** Of a subscription that names none: the newest of all owners of the token. */
  broadcastsListed: 200,
  /** Running streams of the whole server that are looked through for those of the token's owners. */
  runningLookedAt: 1_000,
  owners: 100,
  recentRecords: 100,
  /** Records that are read from the store and sent in one message while a reader catches up. */
  recordsPerMessage: 100,
  /** What a reader that does not read may hold of our memory; then the socket is closed and may resume. */
  bufferedBytes: 1024 * 1024,
  /** Observed values are worth nothing when late: beyond this much unread data they are left out. */
  healthBufferedBytes: 64 * 1024,
  healthMs: 500,
  /** Tells a page that the feed is alive when nothing happens. */
  heartbeatMs: 5_000,
  pingMs: 15_000,
  /** How soon a role that was taken away, or a deleted broadcast, ends its subscription. A revoked token does so at once. */
  recheckMs: 30_000,
  /** A closed socket whose peer does not answer the close is dropped after this. */
  closeMs: 3_000,
} as const;

/** Why a socket was closed. Below 4400: subscribe again with the revisions seen. From 4400 on: not without a change. */
export const CLOSE = {
  goingAway: 1001,
  tryLater: 1013,
  slowReader: 4008,
  badMessage: 4400,
  badToken: 4401,
  noSubscription: 4408,
  tooManySockets: 4429,
} as const;

export const HISTORY_LIMITS = {
  sampleMs: 2_000,
  /** Points of one broadcast. When they are full, two neighbours become one: 48 minutes in steps of 2 s, 8 h in steps of 32 s. */
  points: 1_440,
  /** Of one write: two minutes at the first step, 3 KB. */
  partPoints: 60,
  saveMs: 60_000,
  /** Samples over which the saves of all streams are spread, at least. */
  saveTicks: 15,
  keptMs: 90 * 24 * 3_600_000,
  sweepMs: 3_600_000,
} as const;
