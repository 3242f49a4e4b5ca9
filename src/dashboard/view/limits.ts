/** Limits of the live feed and of the health history, each with its reason. */
export const FEED_LIMITS = {
  /** Per process. A page opens one socket, a wall of screens a few; bounds the memory for send buffers. */
  sockets: 1_000,
  /** All tokens of an owner: two walls of screens, plus dead connections that have not timed out yet. */
  socketsPerOwner: 64,
  /** One operator with a second screen, plus dead connections that have not timed out yet. */
  socketsPerLink: 8,
  /** All dock links of an owner. Counted apart, so that leaked links do not close the pages to their owner. */
  linkSocketsPerOwner: 64,
  /** Sockets without a subscription; the oldest is closed for the next one. */
  waiting: 200,
  /** Deadline of the first message. */
  subscribeMs: 10_000,
  /** Fits the longest subscription: 200 ids with a revision each, and a token. */
  messageBytes: 32 * 1024,
  tokenLength: 4_096,
  broadcastsNamed: 200,
  /** For a subscription without ids: the newest broadcasts of all owners of the token. */
  broadcastsListed: 200,
  /** Running streams of the whole service, scanned for those of the token's owners. */
  runningLookedAt: 1_000,
  owners: 100,
  recentRecords: 100,
  /** Page size of records read from the store, and sent in one message, while a subscriber catches up. */
  recordsPerMessage: 100,
  /** Unread data per socket; beyond this the socket is closed, and its client may resume. */
  bufferedBytes: 1024 * 1024,
  /** Late observed values are useless: they are skipped while more than this is unread. */
  healthBufferedBytes: 64 * 1024,
  healthMs: 500,
  /** Likes and votes come in bursts: a page reads them again this often at most. */
  engagementMs: 1_000,
  /** Lets a page detect a dead feed when no events occur. */
  heartbeatMs: 5_000,
  pingMs: 15_000,
  /** Delay at most until a removed role or a deleted broadcast ends its subscription. A revoked token ends it at once. */
  recheckMs: 30_000,
  /** Time for the peer to answer a close frame; then the socket is terminated. */
  closeMs: 3_000,
} as const;

/** Close codes. Below 4400: subscribe again with the last revisions. From 4400 on: a retry fails without a change. */
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
  /** Points per broadcast; a full series merges neighboring points. 48 minutes at 2 s per point, 8 h at 32 s. */
  points: 1_440,
  /** Points per write: two minutes at the first step, 3 KB. */
  partPoints: 60,
  saveMs: 60_000,
  /** Ticks over which the saves of all streams are spread, at least. */
  saveTicks: 15,
  keptMs: 90 * 24 * 3_600_000,
  sweepMs: 3_600_000,
} as const;
