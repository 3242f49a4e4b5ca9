/** Limits that the ingest and the web process know of each other. */

/** A GET of errors waits at most this long for records that were already sent to the encoder. */
export const RECORDS_STORED_MS = 1_000;

/** The query is the ID of a live video. */
export const HISTORY_SUBJECT = 'history';
