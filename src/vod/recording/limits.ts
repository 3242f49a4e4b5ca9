/** Every bound of the recorder, with its reason. */
export const RECORDER = {
  /** What a kill -9 costs at most: bytes that were not yet handed to the operating system. */
  flushMs: 200,
  /** A queue this long is written at once, so that fast streams make no large gatherings. */
  flushBytes: 1024 * 1024,
  /** What a loss of power costs at most: bytes that the operating system had not yet put on the disk. */
  syncMs: 5_000,
  /** Writes at one time. Node has four threads for files, names and keys together; a slow disk must leave some free. */
  parallelWrites: 2,
  /** Waiting bytes of one recording, some 14 s of 9 Mbps; then frames are left out until the disk has followed. */
  queueBytes: 16 * 1024 * 1024,
  /** Waiting bytes of all recordings of the process. */
  queueBytesAll: 256 * 1024 * 1024,
  /** Free part of the disk under which recording stops, and at which new recordings begin again. */
  freeLeast: 0.1,
  freeAgain: 0.12,
  freeCheckMs: 5_000,
} as const;
