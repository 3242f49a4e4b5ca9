/** The error record of the query interface: what a broadcast or an uploaded video broke, as GET and the live feed give it. */

export type Severity = 'error' | 'warning' | 'info';

/** First and last packet that prove a record. Times in milliseconds of stream time; `byteOffset` counts from the start of the connection or file. */
export interface PacketEvidence {
  readonly kind: 'video' | 'audio' | 'data' | 'clock' | 'file';
  readonly decodeTimeMs: number;
  readonly presentationTimeMs: number;
  readonly messageNumber: number;
  readonly byteOffset: number;
  readonly nalTypes?: readonly number[];
}

export interface Evidence {
  readonly first: PacketEvidence;
  readonly last: PacketEvidence;
}

export type Observed = number | string | boolean;

/** What the judge knows when it raises, counts or clears a record; the store adds sequence and revision. */
export interface RecordBody {
  /** `<live-video-id>_<fence>_<number>`: made where the fault was seen, so that storing twice changes nothing. */
  readonly id: string;
  readonly error_code: number;
  readonly error_subcode: string | number;
  readonly error_type: string;
  /** `[error_code error_type] what was observed, the bound, what to change.` */
  readonly description: string;
  readonly severity: Severity;
  /** Wall time of raising, milliseconds since 1970. */
  readonly timestampMs: number;
  readonly stream_time_ms: number;
  readonly observed: Observed;
  readonly worst: Observed;
  readonly limit: Observed;
  readonly unit: string;
  readonly clause: string;
  readonly remediation: string;
  readonly cleared_time_ms: number | null;
  readonly count: number;
  readonly evidence: Evidence;
  readonly source: 'stream' | 'service';
}

/** One step in the life of a record. `body` is always the whole record as it stands after the step. */
export interface RecordChange {
  readonly change: 'raised' | 'counted' | 'cleared';
  readonly body: RecordBody;
}

/** A record as stored. */
export interface StoredRecord extends RecordBody {
  readonly sequence: number;
  readonly revision: number;
}
