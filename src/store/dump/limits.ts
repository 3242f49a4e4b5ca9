/** Bounds on what is read from a backup file, which may come from anywhere. */

/** The largest row is an object with its texts: far below a mebibyte. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** Rows that are written in one transaction or one round of commands. */
export const ROWS_PER_LOAD = 500;
