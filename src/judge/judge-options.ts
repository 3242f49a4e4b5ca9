/** Options of the judge, and the state that outlives it, as plain data. */
import type { FactsSnapshot } from '../facts/stream-facts.js';
import type { EvaluationSnapshot } from '../rules/judging/evaluate.js';
import type { RecordBody } from '../spec/error-record.js';
import type { EndVerdict } from './judge-types.js';
import type { TrackResume } from './track-judges.js';

export interface JudgeOptions {
  readonly broadcastId: string;
  /** Fencing token: grows with each lease of the broadcast; part of the record ids. */
  readonly fence: number;
  /** `file`: there is no clock, so rules judged by arrival are skipped, and the stream counts as LIVE from its start. */
  readonly mode: 'live' | 'file';
  /** RTMPS, or plain RTMP behind a trusted TLS proxy. */
  readonly secure: boolean;
  readonly startWallMs: number;
  /** `strict` also ends the broadcast for an error that persists. */
  readonly enforce?: 'report' | 'strict';
  /** Rules beyond the published document; on by default. */
  readonly analysis?: boolean;
  /** In LUFS, for 6806; absent: none. */
  readonly loudnessTarget?: number | undefined;
  readonly resume?: JudgeResume;
  /** ID of the input stream, of a live video with two. */
  readonly inputStream?: string | undefined;
}

/** State that must outlive a connection, a process or a machine. JSON-safe. */
export interface JudgeResume {
  readonly version: 1;
  readonly fence: number;
  readonly live: boolean;
  /** Start of the broadcast in wall time and in stream time. */
  readonly startWallMs: number;
  readonly mediaStartMs: number;
  /** Elapsed time when this was written: a lower bound if the wall clock is set back afterwards. */
  readonly elapsedWallMs?: number;
  readonly facts: FactsSnapshot;
  /** Open records; may be replaced by the store's newer copies. */
  readonly open: readonly RecordBody[];
  readonly records: Omit<EvaluationSnapshot, 'open'>;
  /** The video tracks beside the first one. */
  readonly tracks?: readonly TrackResume[];
  readonly ended?: EndVerdict;
  /** The input stream that was judged. */
  readonly inputStream?: string;
}
