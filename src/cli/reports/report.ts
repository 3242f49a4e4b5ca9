/** The result of checking a file against the rules. Plain data; its JSON form is described in docs/validate.md. */
import type { ObservedHealth, RuleVerdict } from '../../judge/judge.js';
import { defined } from '../../lib/objects.js';
import type { Evidence, Observed, RecordBody, Severity } from '../../spec/error-record.js';
import { endedMs } from '../../spec/open-time.js';
import type { ExpectationResult } from './expectation.js';

/** An error record without the fields of a broadcast (id, wall time). Times are stream times from the start of the file. */
export interface FileRecord {
  readonly error_code: number;
  readonly error_subcode: string | number;
  readonly error_type: string;
  readonly severity: Severity;
  readonly description: string;
  readonly remediation: string;
  readonly stream_time_ms: number;
  /** Absent when it was not cleared before the end. */
  readonly cleared_stream_time_ms?: number;
  readonly observed: Observed;
  readonly worst: Observed;
  readonly limit: Observed;
  readonly unit: string;
  readonly clause: string;
  /** The specification, unless it is the published one. */
  readonly spec?: string;
  readonly count: number;
  /** Sum of the intervals in which it was open. Absent when it was not cleared before the end. */
  readonly open_ms?: number;
  readonly evidence: Evidence;
}

export type Outcome = 'pass' | 'warning' | 'error' | 'unreadable';

export interface FileReport {
  readonly file: string;
  readonly spec: 'live' | 'upload';
  readonly outcome: Outcome;
  /** Why the file could not be read to its end. */
  readonly problem?: string;
  /** Remarks, such as tracks that were not judged and why. */
  readonly notes: readonly string[];
  /** Replay only: the stream was accepted and published as far as intended. */
  readonly published?: boolean;
  readonly container: string;
  readonly bytes: number;
  readonly stream?: Omit<ObservedHealth, 'openErrors' | 'bytesReceived'> & {
    /** Only with `--loudness full`. */
    readonly loudnessRangeLu?: number;
    readonly truePeakDbtp?: number;
  };
  readonly rules: readonly RuleVerdict[];
  readonly errors: readonly FileRecord[];
  readonly expectation?: ExpectationResult;
  /** With `--profile`. */
  readonly profile?: ProfileResult;
  /** With `--require-judged`. */
  readonly requirement?: { readonly missing: readonly number[] };
  /** Codes in the baseline: they do not fail the file. */
  readonly known?: readonly number[];
}

export interface ProfileResult {
  readonly name: string;
  readonly met: boolean;
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

/** Notes (or their beginning) of a replay that ended before its recording. */
export const DROPPED = 'connection dropped as requested';
export const STOPPED = 'stopped after';

/** The report of a file that cannot be read. */
export function unreadable(file: string, spec: FileReport['spec'], problem: string): FileReport {
  return { file, spec, outcome: 'unreadable', problem, notes: [], container: '', bytes: 0, rules: [], errors: [] };
}

/** The lowest severity that fails a run. */
export type FailOn = 'error' | 'warning';

/** The values of `--fail-on`: a requirement raises errors, a recommendation warnings. */
export const FAIL_ON = { error: 'error', warning: 'warning', required: 'error', recommended: 'warning' } as const;
