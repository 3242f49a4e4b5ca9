/** Limits of uploads, with their reasons. */
export const UPLOADS = {
  /** Larger than any limit that the Graph API documents for a request or a session. */
  fileBytesMax: 10 * 1024 ** 3,
  /** The smallest file that can hold a second of video. */
  fileBytesMin: 1024,
  /** Chunk size suggested to clients, which hold a chunk in memory. */
  windowBytes: 8 * 1024 * 1024,
  /** A chunk may exceed the suggestion; one of this size shows that the file was not split at all. */
  chunkBytesMax: 1024 ** 3,
  /** Without a chunk: a client that retries does so within minutes, and the announced size counts against its owner. */
  sessionLifeMs: 3_600_000,
  /** A finished session, for a client that lost the answer and finishes again: at least a day is expected, two leave a margin. */
  finishedLifeMs: 48 * 3_600_000,
  /** Concurrent sessions of one owner. */
  sessionsPerOwner: 50,
  /**
   * At that limit, the session that has been longest without a stored chunk makes room once it is this old: a chunk of
   * `windowBytes` takes four minutes at 300 kbit/s.
   */
  sessionIdleMs: 15 * 60_000,
  /** Bytes of a file received between two checks of the free space. */
  spaceEveryBytes: 8 * 1024 * 1024,
  /** Download timeouts: in total, until the end of the headers, and for each 16 KiB. */
  fetchMs: 300_000,
  fetchHeadersMs: 15_000,
  fetchStallMs: 30_000,
  /**
   * Concurrent downloads: in total, and for one client or from one server; further ones wait. A download holds a
   * connection and disk space for minutes, and the remote server did not ask for it.
   */
  fetches: { parallel: 8, parallelPerKey: 2, waiting: 64, waitingPerKey: 8, waitMs: 60_000 },
  redirects: 5,
  urlLength: 4_000,
} as const;
