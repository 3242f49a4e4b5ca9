/** The report of a command on a file. Plain data; its JSON form is described in docs/validate.md. */
import type { FileResult, StreamHealth } from '../../check/file-report.js';
import type { ExpectationResult } from './expectation.js';

export interface FileReport extends FileResult {
  /** Replay only: the stream was accepted and published as far as intended. */
  readonly published?: boolean;
  readonly stream?: StreamHealth & {
    /** Only with `--loudness full`. */
    readonly loudnessRangeLu?: number;
    readonly truePeakDbtp?: number;
  };
  readonly expectation?: ExpectationResult;
  /** With `--require-judged`. */
  readonly requirement?: { readonly missing: readonly number[] };
  /** Codes in the baseline: they do not fail the file. */
  readonly known?: readonly number[];
}

/** Notes (or their beginning) of a replay that ended before its recording. */
export const DROPPED = 'connection dropped as requested';
export const STOPPED = 'stopped after';

/** The lowest severity that fails a run. */
export type FailOn = 'error' | 'warning';

/** The values of `--fail-on`: a requirement raises errors, a recommendation warnings. */
export const FAIL_ON = { error: 'error', warning: 'warning', required: 'error', recommended: 'warning' } as const;
