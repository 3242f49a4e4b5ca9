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
  /** Code of the catalogue. */
  readonly code: number;
  /** Name of the code. */
  readonly type: string;
  /** The check in a few words. */
  readonly title: string;
  /** `not-judged`: there was no data for it, or too little. */
  readonly judged: 'pass' | 'warn' | 'fail' | 'not-judged';
  /** The worst value of a failing rule, the latest of a passing one; null without data. */
  readonly observed: Observed | null;
  /** Bound, in `unit`; null where there is none. */
  readonly limit: Observed | null;
  /** Unit of both values; empty for counts and names. */
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
  /** Name that the encoder gave; empty if none. */
  readonly encoder: string;
  /** Stream time of what was measured last. */
  readonly streamTimeMs: number;
  /** `H.264`, or the name of another one. */
  readonly videoCodec?: string;
  /** profile_idc of H.264: 100 is High. */
  readonly profileIdc?: number;
  /** level_idc of H.264: ten times the level. */
  readonly levelIdc?: number;
  /** Pixels. */
  readonly width?: number;
  /** Pixels. */
  readonly height?: number;
  /** Frames a second. */
  readonly frameRate?: number;
  /** The class whose bounds hold. */
  readonly frameRateClass?: 30 | 60;
  /** Mean of the last window. */
  readonly videoBitrateKbps?: number;
  /** Mean of the last window. */
  readonly audioBitrateKbps?: number;
  /** Length of the last complete interval. */
  readonly keyFrameIntervalMs?: number;
  /** From the last key frame (or the first frame, before any) to the newest frame: shows an overdue key frame. */
  readonly sinceKeyFrameMs?: number;
  /** Frames of the last 10 s that the encoder reports as rendered late. */
  readonly renderLagPercent?: number;
  /** Frames that the encoder skipped, likewise. */
  readonly encoderSkipPercent?: number;
  /** Frames dropped before sending, likewise. */
  readonly networkDropPercent?: number;
  /** From composition in the encoder to arrival, if the clocks of both machines are right. */
  readonly latencyMs?: number;
  /** `AAC`, or the name of another one. */
  readonly audioCodec?: string;
  /** Hz. */
  readonly sampleRate?: number;
  /** Number of channels. */
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
  /** Bytes of media. */
  readonly bytesReceived: number;
  /** Codes of the open records. */
  readonly openErrors: readonly number[];
}
