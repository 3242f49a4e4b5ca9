/** Every bound of uploads, with its reason. */
export const UPLOADS = {
  /** Larger than any file that the conventions speak of for one request or one session. */
  fileBytesMax: 10 * 1024 ** 3,
  /** The smallest file that can hold a second of video (conventions, 3.1). */
  fileBytesMin: 1024,
  /** What a client is asked to send in one chunk: it holds that in memory. */
  windowBytes: 8 * 1024 * 1024,
  /** A chunk may be larger than asked for; one that is this large has not been cut up at all. */
  chunkBytesMax: 1024 ** 3,
  /** At least a day (conventions, 3.2), and some for the night. */
  sessionLifeMs: 48 * 3_600_000,
  /** Sessions of one owner at one time. */
  sessionsPerOwner: 50,
  /** Between two looks at the free space while bytes of one file arrive. */
  spaceEveryBytes: 8 * 1024 * 1024,
  /** Downloads: in all, until the first byte, and between two bytes. */
  fetchMs: 300_000,
  fetchHeadersMs: 15_000,
  fetchIdleMs: 30_000,
  /**
   * Downloads at a time: in all, and for one client or from one server; more wait for their turn. A download holds a
   * connection and disk for minutes, and the other server did not ask for it.
   */
  fetches: { parallel: 8, parallelPerKey: 2, waiting: 64, waitingPerKey: 8, waitMs: 60_000 },
  redirects: 5,
  urlLength: 4_000,
} as const;
