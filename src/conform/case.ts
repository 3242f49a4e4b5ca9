/** One conformance case: what is sent to an ingest, and what must come back. */
import type { Trial } from './trial.js';

export const GROUPS = [
  'handshake',
  'chunks',
  'control',
  'amf',
  'commands',
  'publishing',
  'enhanced',
  'tls',
  'limits',
] as const;
export type Group = (typeof GROUPS)[number];

/**
 * `must`: a requirement of the standard, or that a peer survives. `should`: a recommendation of the standard, or an encoder in
 * use fails without it. `practice`: known servers do it, and encoders are better off.
 */
export const LEVELS = ['must', 'should', 'practice'] as const;
export type Level = (typeof LEVELS)[number];

export interface Case {
  /** `group/name`, and the path of its file. */
  readonly id: string;
  readonly group: Group;
  readonly clause: string;
  readonly level: Level;
  /** A sentence that says what holds. */
  readonly title: string;
  /** Stream keys that it publishes with. Default 0. */
  readonly keys?: 1 | 2;
  /** Sends what a faulty or hostile client sends: runs alone, and a plain publish follows. */
  readonly hostile?: true;
  /** Waits for a deadline of the peer, in milliseconds. Others wait for the usual timeout. */
  readonly waitsMs?: number;
  /** `tls`: over RTMPS only. */
  readonly needs?: 'tls';
  run(trial: Trial): Promise<void>;
}

export type Verdict = 'pass' | 'fail' | 'unknown' | 'skipped';

export interface Result {
  readonly case: Case;
  readonly verdict: Verdict;
  readonly sent: string;
  readonly expected: string;
  readonly came: string;
  readonly ms: number;
}
