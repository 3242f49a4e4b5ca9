/** Limits of judging a file that anyone may have made. */

/** Some 2 KB each. A broadcast of eight hours in which every rule is broken each minute has fewer. */
export const MAX_RECORDS = 10_000;
/** A tag of FLV has at most 16 MiB; pieces of it are kept in buffers of this size. */
export const PIECE_BYTES = 128 * 1024;
/** Stream time after which the progress of reading is told again: a point of a chart. */
export const PROGRESS_MS = 1000;
