/** Wire form of an error record, shared by HTTP, the live feed and the webhook. */
import { defined } from '../lib/objects.js';
import type { StoredRecord } from './error-record.js';
import { PUBLISHED } from './house.js';
import { endedMs, openSinceMs } from './open-time.js';

/** `2018-12-05T23:58:52+0000`, the datetime format of responses. */
export function graphDateTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+0000`;
}

/** The broadcast and the video that a record belongs to. */
export type RecordSubject =
  /** `logId`: of a cross-posted copy, the broadcast whose records it shows. */
  | { readonly broadcastId: string; readonly videoId?: string; readonly logId?: string }
  | { readonly broadcastId?: undefined; readonly videoId: string; readonly logId?: undefined };

/** The two types of the public conventions: a record is a fault, or tells something about the stream. */
export const FAMILIES = ['stream', 'info'] as const;

export const familyOf = ({ severity }: Pick<StoredRecord, 'severity'>): (typeof FAMILIES)[number] =>
  severity === 'info' ? 'info' : 'stream';

/**
 * `error_message` repeats `description`. `timestamp` (with milliseconds, Z) and `creation_time` are the same instant.
 * `cleared_time` is absent while the fault is open; `open_ms` then lacks the time since `open_since`. No field depends on when
 * the record is read, so that every reader of a revision gets the same.
 */
export function errorView(record: StoredRecord, { broadcastId, videoId }: RecordSubject) {
  const sinceMs = openSinceMs(record);
  return {
    id: record.id,
    sequence: record.sequence,
    revision: record.revision,
    error_code: record.error_code,
    error_subcode: record.error_subcode,
    error_type: record.error_type,
    error_family: familyOf(record),
    error_message: record.description,
    description: record.description,
    severity: record.severity,
    creation_time: graphDateTime(record.timestampMs),
    timestamp: new Date(record.timestampMs).toISOString(),
    // A refused publish has no stream.
    ...(record.source === 'publish' ? {} : { stream_time_ms: record.stream_time_ms }),
    observed: record.observed,
    worst: record.worst,
    limit: record.limit,
    unit: record.unit,
    clause: record.clause,
    remediation: record.remediation,
    ...(record.cleared_time_ms === null ? {} : { cleared_time: new Date(record.cleared_time_ms).toISOString() }),
    count: record.count,
    open_ms: endedMs(record),
    ...(sinceMs === undefined ? {} : { open_since: new Date(sinceMs).toISOString() }),
    ...defined({ broadcast_id: broadcastId, video_id: videoId }),
    ...(record.source === 'publish' ? {} : { evidence: record.evidence }),
    ...defined({
      track: record.track,
      cause: record.cause,
      changes: record.changes,
      match: record.match,
      forward: record.forward,
      input_stream: record.input_stream,
      refusal: record.refusal,
      address: record.address,
      encoder: record.encoder,
    }),
    source: record.source,
    // A refused publish is not judged.
    ...(record.source === 'publish' ? {} : { spec: record.spec ?? PUBLISHED }),
  };
}

export type ErrorView = ReturnType<typeof errorView>;
