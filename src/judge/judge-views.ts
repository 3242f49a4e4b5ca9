/** Views of the judge's state: health for dashboards, verdicts for tables. */
import type { StreamFacts } from '../facts/stream-facts.js';
import type { Timecode } from '../media/data/timecode.js';
import type { CatalogueEntry } from '../rules/catalogue-entry.js';
import { rounded } from '../rules/describe.js';
import type { Evaluation } from '../rules/judging/evaluate.js';
import { CATALOGUE } from '../rules/registry/catalogue.js';
import { LIVE_RULES } from '../rules/registry/rules.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import { codecName } from '../spec/codec-names.js';
import type { Observed, RecordBody } from '../spec/error-record.js';
import { DEAD_PICTURE } from '../spec/tolerances.js';
import type { DataTrack, ObservedHealth, RuleVerdict } from './judge-types.js';

const OBSERVED_BY_SERVICE: ReadonlySet<number> = new Set(Object.values(SERVICE_CODES));

type Draft<T> = { -readonly [Name in keyof T]: T[Name] };

/** Each stream is asked every second: built property by property, because spreads of optional parts are slow. */
export function healthOf(facts: StreamFacts, openErrors: readonly number[], encoder: string): ObservedHealth {
  const { streamTimeMs, bytesReceived } = facts;
  const health: Draft<ObservedHealth> = { encoder, streamTimeMs: Math.round(streamTimeMs), bytesReceived, openErrors };
  addVideo(health, facts);
  addReported(health, facts);
  addAudio(health, facts);
  addPicture(health, facts);
  const rows = dataTracks(facts);
  if (rows.length > 0) health.dataTracks = rows;
  return health;
}

function addVideo(health: Draft<ObservedHealth>, { video }: StreamFacts): void {
  if (video.codec !== '') health.videoCodec = codecName(video.codec);
  if (video.hasParameterSets) {
    health.profileIdc = video.profileIdc;
    health.levelIdc = video.levelIdc;
    health.width = video.width;
    health.height = video.height;
  }
  if (video.rate.meanFps > 0) health.frameRate = Number(video.rate.meanFps.toFixed(2));
  if (video.rate.class !== undefined) health.frameRateClass = video.rate.class;
  if (isKnown(video.bitrateKbps)) health.videoBitrateKbps = Math.round(video.bitrateKbps);
  if (video.gop.intervalMs > 0) health.keyFrameIntervalMs = Math.round(video.gop.intervalMs);
  if (video.gop.hasFrames) health.sinceKeyFrameMs = Math.round(video.gop.ageMs);
}

function addReported(health: Draft<ObservedHealth>, { reported }: StreamFacts): void {
  const { lagged, skipped, dropped, latencyMs } = reported;
  if (isKnown(lagged)) health.renderLagPercent = percent(lagged);
  if (isKnown(skipped)) health.encoderSkipPercent = percent(skipped);
  if (isKnown(dropped)) health.networkDropPercent = percent(dropped);
  if (isKnown(latencyMs)) health.latencyMs = Math.round(latencyMs);
}

function addAudio(health: Draft<ObservedHealth>, { audio, analysis: { levels } }: StreamFacts): void {
  if (isKnown(audio.bitrateKbps)) health.audioBitrateKbps = Math.round(audio.bitrateKbps);
  if (audio.codec !== '')
    health.audioCodec = audio.objectTypeName === '' ? codecName(audio.codec) : audio.objectTypeName;
  if (audio.hasSettings) {
    health.sampleRate = audio.sampleRate;
    if (audio.outputChannels > 0) health.channels = audio.outputChannels;
  }
  const { integratedLufs, windowLufs } = levels.meter;
  if (isKnown(integratedLufs)) health.loudnessLufs = tenths(integratedLufs);
  if (isKnown(levels.targetLufs) && isKnown(windowLufs)) health.loudnessTargetLufs = levels.targetLufs;
  if (!isKnown(levels.shortTermLufs)) return;
  health.shortTermLufs = tenths(levels.shortTermLufs);
  health.channelLufs = (levels.isStereo ? [levels.leftLufs, levels.rightLufs] : [levels.lufs]).map(tenths);
}

function addPicture(health: Draft<ObservedHealth>, { analysis }: StreamFacts): void {
  const { picture } = analysis;
  if (picture.blackMs >= DEAD_PICTURE.blackMs.value) health.picture = 'black';
  else if (picture.frozenMs >= DEAD_PICTURE.frozenMs.value) health.picture = 'frozen';
  else if (picture.isMoving) health.picture = 'moving';
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

function tenths(value: number): number {
  return Number(value.toFixed(1));
}

function percent(share: number): number {
  return Number((share * 100).toFixed(2));
}

/** One row for each rule of the live catalogue. */
export function verdictOf(
  facts: StreamFacts,
  evaluation: Evaluation,
  last: (code: number) => RecordBody | undefined,
): RuleVerdict[] {
  return CATALOGUE.filter((entry) => entry.judgedBy !== 'file' && entry.source !== 'publish').map((entry) =>
    rowOf(entry, facts, evaluation, last(entry.code)),
  );
}

function rowOf(
  entry: CatalogueEntry,
  facts: StreamFacts,
  evaluation: Evaluation,
  record: RecordBody | undefined,
): RuleVerdict {
  const { code, type, title, unit } = entry;
  if (record !== undefined) {
    const judged = record.severity === 'error' ? 'fail' : 'warn';
    return { code, type, title, judged, observed: record.worst, limit: record.limit, unit };
  }
  const index = LIVE_RULES.findIndex((rule) => rule.entry.code === code);
  const rule = LIVE_RULES[index];
  if (rule === undefined) {
    const judged = facts.isLiveMode && OBSERVED_BY_SERVICE.has(code) ? 'pass' : 'not-judged';
    return { code, type, title, judged, observed: null, limit: null, unit };
  }
  if (!evaluation.wasJudged(index))
    return { code, type, title, judged: 'not-judged', observed: null, limit: null, unit };
  return {
    code,
    type,
    title,
    judged: 'pass',
    observed: presentable((rule.passing ?? rule.observed)(facts), entry),
    limit: presentable(rule.limit(facts), entry),
    unit,
  };
}

function presentable(value: Observed, entry: CatalogueEntry): Observed | null {
  if (value === '' || (typeof value === 'number' && !Number.isFinite(value))) return null;
  return rounded(value, entry.unit);
}

/** The captions, texts, cues and time codes of a stream, as rows of its health. */
export function dataTracks({ data }: StreamFacts): DataTrack[] {
  const { captions, splices, pictureCodes } = data;
  const rows: DataTrack[] = captions.channels.map(({ name, frames, liveAtMs }) => ({
    kind: 'captions',
    format: name,
    count: frames,
    lastMs: Math.round(liveAtMs),
    ...(name !== 'CEA-708' && captions.damaged > 0 ? { invalid: captions.damaged } : {}),
  }));
  if (pictureCodes.count > 0) rows.push(timecodeRow('picture timing', pictureCodes));
  for (const [format, { kind, count, streamMs }] of data.messages) {
    const isCode = kind === 'timecode' && data.messageCodes.count > 0;
    rows.push(isCode ? timecodeRow(format, data.messageCodes) : { kind, format, count, lastMs: Math.round(streamMs) });
  }
  if (splices !== undefined) {
    const { count, invalid, streamMs, last } = splices;
    rows.push({ kind: 'cues', format: 'SCTE 35', count, lastMs: Math.round(streamMs), invalid, last });
  }
  return rows;
}

function timecodeRow(format: string, { count, streamMs, jumps, last }: StreamFacts['data']['pictureCodes']): DataTrack {
  const row: DataTrack = { kind: 'timecode', format, count, lastMs: Math.round(streamMs), invalid: jumps };
  return last === undefined ? row : { ...row, last: timecodeText(last) };
}

/** `01:00:00:12`, with `;` before the frames where numbers are left out, or `01:00:00.480`. */
export function timecodeText({ hours, minutes, seconds, frames, fractionMs, isDropFrame }: Timecode): string {
  const time = [hours, minutes, seconds].map((value) => String(value).padStart(2, '0')).join(':');
  if (!Number.isNaN(fractionMs)) return `${time}.${String(Math.round(fractionMs)).padStart(3, '0')}`;
  return `${time}${isDropFrame ? ';' : ':'}${String(frames).padStart(2, '0')}`;
}
