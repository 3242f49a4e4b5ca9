/** Outputs of the judge, as plain data. */
import type { Observed } from '../spec/error-record.js';

/** Wall time and the monotonic clock, read together. */
export interface Now {
  readonly wallMs: number;
  readonly atMs: number;
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

/** One kind of data beside pictures and sound. */
export interface DataTrack {
  readonly kind: 'captions' | 'text' | 'cues' | 'timecode';
  /** CEA-608 field 1, CEA-708, a handler of data messages, SCTE 35 … */
  readonly format: string;
  /** Pictures or messages that carried it. Of captions, those with text. */
  readonly count: number;
  /** Stream time of the last one. */
  readonly lastMs: number;
  /** Sections or caption pairs that a receiver drops; time codes that jumped. */
  readonly invalid?: number;
  /** Content of the last message: the time code, the splice command. */
  readonly last?: string;
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
