/** Error records: the faults of a broadcast or an uploaded video, as GET and the live feed return them. */

/** `error`: breaks a requirement. `warning`: breaks a recommendation. `info`: no fault. */
export type Severity = 'error' | 'warning' | 'info';

/** A packet that proves a record. Times are stream time in ms; `byteOffset` counts from the start of the connection or file. */
export interface PacketEvidence {
  /** `clock`: no packet, but time that passed. `file`: an uploaded file as a whole. */
  readonly kind: 'video' | 'audio' | 'data' | 'clock' | 'file';
  /** Decode time. */
  readonly decodeTimeMs: number;
  /** Decode time plus composition time. */
  readonly presentationTimeMs: number;
  /** Counts all messages or tags, from 1. */
  readonly messageNumber: number;
  /** Where its tag or message begins. */
  readonly byteOffset: number;
  /** nal_unit_type of its NAL units (H.264, table 7-1). */
  readonly nalTypes?: readonly number[];
}

/** The packets with which a record was raised and counted last. */
export interface Evidence {
  /** Raised it. */
  readonly first: PacketEvidence;
  /** Counted it last. */
  readonly last: PacketEvidence;
}

/** A value of a rule, in its unit. */
export type Observed = number | string | boolean;

/** `publish`: a publish with the right key that was refused; there was no stream. */
export type RecordSource = 'stream' | 'service' | 'publish';

/** Why a publish was refused: code, subcode and HTTP status of the same refusal in the HTTP interface. */
export interface PublishRefusal {
  readonly code: number;
  readonly subcode?: number | string;
  readonly status: number;
}

/** One setting that differs from the first ones (6403). */
export interface SettingChange {
  readonly setting: string;
  readonly before: string | number;
  readonly after: string | number;
}

/** A detector's finding (6602): a part of the stream that is like a part of a reference. */
export interface MatchDetails {
  /** Video that holds the content, and the Page that owns it. */
  readonly reference_id: string;
  readonly page_id: string;
  readonly policy: 'monitor' | 'block';
  /** Where it starts, in the stream or file and in the reference. */
  readonly start_ms: number;
  readonly offset_ms: number;
  readonly length_ms: number;
  /** Part of the bits of both prints that differ. */
  readonly error_rate: number;
  /** 0 to 1: the share of the bits beyond chance that agree. */
  readonly confidence: number;
  /** Pictures compared at both places, and those that are alike. */
  readonly pictures_compared?: number;
  readonly pictures_alike?: number;
}

/** A record as the judge writes it; the store adds sequence and revision. */
export interface RecordBody {
  /** `<live-video-id>_<fence>_<number>`, assigned by the judge so that storing a record is idempotent. */
  readonly id: string;
  readonly error_code: number;
  readonly error_subcode: string | number;
  readonly error_type: string;
  /** `[error_code error_type] observed; bound. What to change.` */
  readonly description: string;
  readonly severity: Severity;
  /** Wall time at which it was raised, milliseconds since the Unix epoch. */
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
  /** Sum of the intervals in which it was open and that have ended. Absent in records of earlier versions. */
  readonly open_ms?: number;
  /** Wall time of the last raise, while it is open. */
  readonly opened_ms?: number;
  readonly evidence: Evidence;
  readonly source: RecordSource;
  /** The specification that it was judged by: the name of the operator's file; absent for the published one. */
  readonly spec?: string;
  /** The video track of a stream with several; absent: the first one, or the whole stream. */
  readonly track?: number;
  /** Code of the record that explains this one: 6901 to 6908. */
  readonly cause?: number;
  /** 6403 only. */
  readonly changes?: readonly SettingChange[];
  /** 6602 only. */
  readonly match?: MatchDetails;
  /** ID of the forward that 6511 to 6513 are about. */
  readonly forward?: string;
  /** ID of the input stream, of a live video with two. */
  readonly input_stream?: string;
  /** 6102 only, like the two below. */
  readonly refusal?: PublishRefusal;
  /** Address of the encoder. */
  readonly address?: string;
  /** The name that the encoder gave. */
  readonly encoder?: string;
}

/** One change of a record. `body` is the complete record after the change. */
export interface RecordChange {
  readonly change: 'raised' | 'counted' | 'cleared';
  readonly body: RecordBody;
}

export interface StoredRecord extends RecordBody {
  readonly sequence: number;
  readonly revision: number;
}
