/** What the judge is given and what it gives. Plain data. */
import type { KeptFacts } from '../facts/stream-facts.js';
import type { KeptEvaluation } from '../rules/judging/evaluate.js';
import type { Observed, RecordBody } from '../spec/error-record.js';

/** Wall time and the monotonic clock, read together. */
export interface Now {
  readonly wallMs: number;
  readonly atMs: number;
}

export interface JudgeOptions {
  readonly broadcastId: string;
  /** Grows with each holder of the broadcast; part of the records' ids. */
  readonly fence: number;
  /** `file`: no clock, so rules judged by arrival are not judged, and the stream counts as LIVE from its start. */
  readonly mode: 'live' | 'file';
  /** RTMPS, or plain RTMP with trusted TLS in front. */
  readonly secure: boolean;
  readonly startWallMs: number;
  /** `strict` ends the broadcast also for an error that stays. */
  readonly enforce?: 'report' | 'strict';
  readonly resume?: JudgeResume;
}

/** All that must outlive a connection, a process or a machine. JSON-safe. */
export interface JudgeResume {
  readonly version: 1;
  readonly fence: number;
  readonly live: boolean;
  /** When the broadcast began, by the wall and in stream time. */
  readonly startWallMs: number;
  readonly mediaStartMs: number;
  /** How long it had been, by the clock, when this was written: no clock that is set back makes it less. */
  readonly elapsedWallMs?: number;
  readonly facts: KeptFacts;
  /** Records that are open; a store's newer view of them may be put here. */
  readonly open: readonly RecordBody[];
  readonly records: Omit<KeptEvaluation, 'open'>;
  readonly ended?: EndVerdict;
}

/** Why the broadcast must end. */
export interface EndVerdict {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** What one rule says about the stream so far. */
export interface RuleVerdict {
  readonly code: number;
  readonly type: string;
  readonly title: string;
  readonly judged: 'pass' | 'warn' | 'fail' | 'not-judged';
  /** The worst value of a broken rule, the latest of a kept one; null while there is none. */
  readonly observed: Observed | null;
  readonly limit: Observed | null;
  readonly unit: string;
}

/** What the running stream looks like now, as far as packets tell. */
export interface ObservedHealth {
  readonly encoder: string;
  readonly streamTimeMs: number;
  readonly videoCodec?: string;
  readonly profileIdc?: number;
  readonly levelIdc?: number;
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: number;
  readonly frameRateClass?: 30 | 60;
  readonly videoBitrateKbps?: number;
  readonly audioBitrateKbps?: number;
  /** Of the last complete interval. */
  readonly keyFrameIntervalMs?: number;
  /** From the last key frame (the first frame, before one) to the newest frame, so that one overdue is seen growing. */
  readonly sinceKeyFrameMs?: number;
  readonly audioCodec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bytesReceived: number;
  readonly openErrors: readonly number[];
}
