/** The types that the entries of the library export. */
export type { ByteSource, StopSignal } from '../bytes/byte-source.js';
export type { Explanation } from '../check/explain.js';
export type {
  FileRecord,
  FileResult,
  Finding,
  Outcome,
  ProfileResult,
  Progress,
  StreamHealth,
} from '../check/file-report.js';
export type { MediaTag } from '../check/flv-check.js';
export type { ErrorEntry, SpecDocument } from '../check/spec-document.js';
export type { RuleVerdict } from '../judge/judge-types.js';
export type { Evidence, Observed, PacketEvidence, Severity } from '../spec/error-record.js';
export type { Bounds } from './cores.js';
export type { AirlockErrorCode } from './error.js';
export type { Judge, JudgeOptions, JudgingOptions } from './judge.js';
