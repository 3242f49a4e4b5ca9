/** Inputs and outputs of the judge, as plain data. */
import type { FactsSnapshot } from '../facts/stream-facts.js';
import type { EvaluationSnapshot } from '../rules/judging/evaluate.js';
import type { Observed, RecordBody } from '../spec/error-record.js';
import type { DataTrack } from './data-tracks.js';
import type { TrackResume } from './track-judges.js';

/** Wall time and the monotonic clock, read together. */
export interface Now {
  readonly wallMs: number;
  readonly atMs: number;
}

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
}

/** Why the broadcast must end. */
export interface EndVerdict {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** Verdict of one rule on the stream so far. */
export interface RuleVerdict {
  readonly code: number;
  readonly type: string;
  readonly title: string;
  readonly judged: 'pass' | 'warn' | 'fail' | 'not-judged';
  /** The worst value of a failing rule, the latest of a passing one; null without data. */
  readonly observed: Observed | null;
  readonly limit: Observed | null;
  readonly unit: string;
}

/** Current state of the running stream, measured from its packets. */
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
  /** Length of the last complete interval. */
  readonly keyFrameIntervalMs?: number;
  /** From the last key frame (or the first frame, before any) to the newest frame: shows an overdue key frame. */
  readonly sinceKeyFrameMs?: number;
  /** Shares of frames in the last 10 s that the encoder reports as rendered late, skipped, or dropped before sending. */
  readonly renderLagPercent?: number;
  readonly encoderSkipPercent?: number;
  readonly networkDropPercent?: number;
  /** From composition in the encoder to arrival, if the clocks of both machines are right. */
  readonly latencyMs?: number;
  readonly audioCodec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
  /** Gated loudness since the start of the stream, from sampled AAC frames. */
  readonly loudnessLufs?: number;
  /** The operator's delivery target, once ten minutes are held against it. */
  readonly loudnessTargetLufs?: number;
  /** Loudness of the last three seconds. */
  readonly shortTermLufs?: number;
  /** Loudness of the last sampled frame: left and right of a pair, or all channels together. */
  readonly channelLufs?: readonly number[];
  /** Absent while it is not known. */
  readonly picture?: 'moving' | 'frozen' | 'black';
  /** Captions, texts, cues and time codes; absent if there are none. */
  readonly dataTracks?: readonly DataTrack[];
  readonly bytesReceived: number;
  readonly openErrors: readonly number[];
}
