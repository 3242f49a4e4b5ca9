/** Limits of the recorder, with their reasons. */
export const RECORDER = {
  /** Maximum loss by `kill -9`: bytes not yet passed to the operating system. */
  flushMs: 500,
  /**
   * How often the age of waiting bytes is looked at. The recordings of one round are written together, so the memory that waiting
   * bytes take at most falls with it.
   */
  roundMs: 50,
  /**
   * A queue of this size is written at once. Direct writes of 64 KB took 0.5 s of CPU a gigabyte, of 128 KB 0.3, of 384 KB and more 0.13.
   * A publisher at 6 Mbps fills it in half a second.
   */
  writeBytes: 384 * 1024,
  /** The largest write: 128 buffers. While the event loop is slow, writes must grow, because two at most are started in a turn. */
  writeBytesMax: 4 * 1024 * 1024,
  /** Maximum loss by a power failure: bytes that the operating system has not yet written to the disk. */
  syncMs: 5_000,
  /**
   * Concurrent writes and syncs. Node has four threads for file, DNS and crypto work; a direct write waits for the disk, and
   * the journal must not wait with it.
   */
  parallelWrites: 2,
  /** Queued bytes of one recording, about 14 s at 9 Mbps; beyond it frames are dropped until the disk catches up. */
  queueBytes: 16 * 1024 * 1024,
  /** With more queued, in one recording or in all, the disk is behind: writes go through the page cache, which holds more. */
  directQueueBytes: 12 * 1024 * 1024,
  directQueueBytesAll: 192 * 1024 * 1024,
  /** Queued bytes of all recordings of the process. */
  queueBytesAll: 256 * 1024 * 1024,
  /** With object storage a segment ends at the first key frame after `partMs`, at the latest after `partMsMax`, and is uploaded. */
  partMs: 2_000,
  /** A machine's failure loses at most this and the time of one upload. */
  partMsMax: 3_000,
  /** Concurrent uploads; a part at 9 Mbps has about 3 MB. */
  parallelUploads: 8,
  /** How often to look for segments whose upload failed or that a killed process left. */
  uploadAgainMs: 15_000,
  /** A file that has not grown for this long has no writer: silent publishers are disconnected after 30 s. */
  quietMs: 45_000,
  /** Time to upload the last segments at shutdown. */
  uploadCloseMs: 10_000,
} as const;
