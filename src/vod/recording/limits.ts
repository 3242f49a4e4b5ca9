/** Every bound of the recorder, with its reason. */
export const RECORDER = {
  /** What a kill -9 costs at most: bytes that were not yet handed to the operating system. */
  flushMs: 500,
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
  /** With object storage a segment ends here, at the next key frame, and at the latest there, and is uploaded. */
  partMs: 10_000,
  partMsMax: 20_000,
  /** Carried at one time; a part of 9 Mbps is some 11 MB. */
  parallelUploads: 4,
  /** How often segments are looked for whose upload failed or that a killed process left. */
  uploadAgainMs: 15_000,
  /** A file of this machine that did not grow for so long is nobody's any more: silent publishers are let go after 30 s. */
  quietMs: 45_000,
  /** At the end of the process the last segments may take this long to be uploaded. */
  uploadCloseMs: 10_000,
} as const;
