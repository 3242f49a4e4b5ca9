/** The result of judging a file: plain data, in the form of `validate --format json` (docs/validate.md). */
import type { ObservedHealth, RuleVerdict } from '../judge/judge-types.js';
import { defined } from '../lib/objects.js';
import type { Evidence, Observed, RecordBody, RecordChange, Severity } from '../spec/error-record.js';
import { endedMs } from '../spec/open-time.js';

/** An error record without the fields of a broadcast (id, wall time). Times are stream times from the start of the file. */
export interface FileRecord {
  /** Code of the catalogue (docs/rules.md). */
  readonly error_code: number;
  /** Published subcode; the code where there is none. */
  readonly error_subcode: string | number;
  /** Name of the code. */
  readonly error_type: string;
  /** `error`: breaks a requirement. `warning`: breaks a recommendation. `info`: no fault. */
  readonly severity: Severity;
  /** `[error_code error_type] observed; bound. What to change.` */
  readonly description: string;
  /** The change to make, in the words of the encoder where it is known. */
  readonly remediation: string;
  /** When it was raised. */
  readonly stream_time_ms: number;
  /** Absent when it was not cleared before the end. */
  readonly cleared_stream_time_ms?: number;
  /** Latest value, in `unit`. */
  readonly observed: Observed;
  /** Worst value, in `unit`. */
  readonly worst: Observed;
  /** Bound, in `unit`. */
  readonly limit: Observed;
  /** `ms`, `kbps`, `fps`, `LUFS` and others; empty for counts and names. */
  readonly unit: string;
  /** Row of the specification, or clause of the standard, that it violates. */
  readonly clause: string;
  /** The specification, unless it is the published one. */
  readonly spec?: string;
  /** How often it was seen. */
  readonly count: number;
  /** Sum of the intervals in which it was open. Absent when it was not cleared before the end. */
  readonly open_ms?: number;
  /** The packets that prove it. */
  readonly evidence: Evidence;
}

/** One change of one record, as it arises. */
export interface Finding {
  /** `raised`: new. `counted`: seen again, or its values changed. `cleared`: over; the same fault within a minute counts on. */
  readonly change: RecordChange['change'];
  /** Names the record: its changes have one id. */
  readonly id: string;
  /** The whole record after the change. */
  readonly record: FileRecord;
}

/** How far a file is read, and what was found on the way. */
export interface Progress {
  /** Bytes read or skipped so far. */
  readonly bytes: number;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Changes of records since the last call. */
  readonly findings: readonly Finding[];
  /** Health at this point of the stream; `streamTimeMs` says which. */
  readonly health: StreamHealth;
}

/** `unreadable`: the file could not be read to its end; `problem` says why, and what was judged before that stands beside it. */
export type Outcome = 'pass' | 'warning' | 'error' | 'unreadable';

/** Health at the end of the file. Rates are means of the last window, times are stream times in ms. */
export type StreamHealth = Omit<ObservedHealth, 'openErrors' | 'bytesReceived'>;

/** The result of judging one file or stream, as `validate --format json` prints it. */
export interface FileResult {
  /** The name under which the file was given. */
  readonly file: string;
  /** The specification: live broadcasts, or uploaded videos. */
  readonly spec: 'live' | 'upload';
  /** The gravest of `errors`, or `unreadable`. */
  readonly outcome: Outcome;
  /** Why the file could not be read to its end. */
  readonly problem?: string;
  /** Remarks, such as tracks that were not judged and why. */
  readonly notes: readonly string[];
  /** `flv`, or a name of ffprobe's. Empty where the file could not be opened. */
  readonly container: string;
  /** Bytes that were read or skipped. */
  readonly bytes: number;
  /** Absent where nothing was judged. */
  readonly stream?: StreamHealth;
  /** A row for each rule, in the order of codes; empty where nothing was judged. */
  readonly rules: readonly RuleVerdict[];
  /** In the order in which they were raised. */
  readonly errors: readonly FileRecord[];
  /** Where a profile was asked for. */
  readonly profile?: ProfileResult;
}

/** Whether a file is of one row of the profile table, by size, frame rate and video bitrate. */
export interface ProfileResult {
  /** Short name of the row: `720p30`. */
  readonly name: string;
  /** Whether it meets all bounds of the row. */
  readonly met: boolean;
  /** Sentences, empty if it is met. */
  readonly differences: readonly string[];
}

export function fileRecord(body: RecordBody, startWallMs: number): FileRecord {
  return {
    error_code: body.error_code,
    error_subcode: body.error_subcode,
    error_type: body.error_type,
    severity: body.severity,
    description: body.description,
    remediation: body.remediation,
    stream_time_ms: body.stream_time_ms,
    ...(body.cleared_time_ms === null ? {} : { cleared_stream_time_ms: body.cleared_time_ms - startWallMs }),
    observed: body.observed,
    worst: body.worst,
    limit: body.limit,
    unit: body.unit,
    clause: body.clause,
    ...defined({ spec: body.spec }),
    count: body.count,
    ...(body.cleared_time_ms === null ? {} : { open_ms: endedMs(body) }),
    evidence: body.evidence,
  };
}

export function outcomeOf(errors: readonly FileRecord[]): Outcome {
  if (errors.some((record) => record.severity === 'error')) return 'error';
  return errors.some((record) => record.severity === 'warning') ? 'warning' : 'pass';
}

/** The report of a file that cannot be read. */
export function unreadable(file: string, spec: FileResult['spec'], problem: string): FileResult {
  return { file, spec, outcome: 'unreadable', problem, notes: [], container: '', bytes: 0, rules: [], errors: [] };
}
