/** Limits on reading a backup file, which is untrusted input. */

/** The largest row is an object with its texts, far below 1 MiB. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** Rows per transaction or batch of commands. */
export const ROWS_PER_LOAD = 500;
