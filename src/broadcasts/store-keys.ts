/** Names under which the ingest side keeps what is not a document. */

/** Lease: who publishes this live video. */
export const leaseKey = (liveVideoId: string): string => `publish:${liveVideoId}`;
/** Lease: the one preflight of this live video. Its holder is the preflight, not the process. */
export const preflightLeaseKey = (liveVideoId: string): string => `preflight:${liveVideoId}`;
/** Volatile: what the judge keeps over a reconnect, a restart or a change of machine. */
export const resumeKey = (liveVideoId: string): string => `judge:${liveVideoId}`;
/** Volatile: running health, for processes that do not hold the stream. */
export const healthKey = (liveVideoId: string): string => `health:${liveVideoId}`;
/** Longer than any broadcast with its grace time. */
export const RESUME_TTL_MS = 10 * 3_600_000;
