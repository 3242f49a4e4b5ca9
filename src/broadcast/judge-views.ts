/** Views of the judge's state: health for dashboards, verdicts for tables. */
import type { StreamFacts } from '../facts/stream-facts.js';
import { defined } from '../lib/objects.js';
import type { CatalogueEntry } from '../rules/catalogue-entry.js';
import { rounded } from '../rules/describe.js';
import type { Evaluation } from '../rules/judging/evaluate.js';
import { videoBlack } from '../rules/live/video-black.js';
import { videoFrozen } from '../rules/live/video-frozen.js';
import { CATALOGUE } from '../rules/registry/catalogue.js';
import { LIVE_RULES } from '../rules/registry/rules.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import { codecName } from '../spec/codec-names.js';
import type { Observed, RecordBody } from '../spec/error-record.js';
import { dataTracks } from './data-tracks.js';
import type { ObservedHealth, RuleVerdict } from './judge-types.js';

const OBSERVED_BY_SERVICE: ReadonlySet<number> = new Set(Object.values(SERVICE_CODES));

export function healthOf(facts: StreamFacts, openErrors: readonly number[], encoder: string): ObservedHealth {
  const { video, audio, reported } = facts;
  return {
    encoder,
    streamTimeMs: Math.round(facts.streamTimeMs),
    bytesReceived: facts.bytesReceived,
    openErrors,
    ...(video.codec === '' ? {} : { videoCodec: codecName(video.codec) }),
    ...(video.hasParameterSets
      ? { profileIdc: video.profileIdc, levelIdc: video.levelIdc, width: video.width, height: video.height }
      : {}),
    ...known('frameRate', video.rate.meanFps > 0 ? Number(video.rate.meanFps.toFixed(2)) : Number.NaN),
    ...defined({ frameRateClass: video.rate.class }),
    ...known('videoBitrateKbps', Math.round(video.bitrateKbps)),
    ...known('audioBitrateKbps', Math.round(audio.bitrateKbps)),
    ...known('keyFrameIntervalMs', video.gop.intervalMs > 0 ? Math.round(video.gop.intervalMs) : Number.NaN),
    ...known('sinceKeyFrameMs', video.gop.hasFrames ? Math.round(video.gop.ageMs) : Number.NaN),
    ...known('renderLagPercent', percent(reported.lagged)),
    ...known('encoderSkipPercent', percent(reported.skipped)),
    ...known('networkDropPercent', percent(reported.dropped)),
    ...known('latencyMs', Math.round(reported.latencyMs)),
    ...(audio.codec === ''
      ? {}
      : { audioCodec: audio.objectTypeName === '' ? codecName(audio.codec) : audio.objectTypeName }),
    ...(audio.hasSettings ? { sampleRate: audio.sampleRate } : {}),
    ...(audio.hasSettings && audio.outputChannels > 0 ? { channels: audio.outputChannels } : {}),
    ...known('loudnessLufs', tenths(facts.analysis.levels.meter.integratedLufs)),
    ...known('shortTermLufs', tenths(facts.analysis.levels.shortTermLufs)),
    ...channelsOf(facts),
    ...pictureOf(openErrors, facts),
    ...tracksOf(facts),
  };
}

function channelsOf({ analysis: { levels } }: StreamFacts): Pick<ObservedHealth, 'channelLufs'> {
  if (Number.isNaN(levels.shortTermLufs)) return {};
  return { channelLufs: (levels.isStereo ? [levels.leftLufs, levels.rightLufs] : [levels.lufs]).map(tenths) };
}

function tracksOf(facts: StreamFacts): Pick<ObservedHealth, 'dataTracks'> {
  const rows = dataTracks(facts);
  return rows.length === 0 ? {} : { dataTracks: rows };
}

function pictureOf(openErrors: readonly number[], { analysis }: StreamFacts): Pick<ObservedHealth, 'picture'> {
  if (openErrors.includes(videoBlack.entry.code)) return { picture: 'black' };
  if (openErrors.includes(videoFrozen.entry.code)) return { picture: 'frozen' };
  return Number.isNaN(analysis.picture.bitsPerMacroblock) ? {} : { picture: 'moving' };
}

function tenths(value: number): number {
  return Number(value.toFixed(1));
}

function percent(share: number): number {
  return Number((share * 100).toFixed(2));
}

function known<Name extends string>(name: Name, value: number): { readonly [Key in Name]?: number } {
  return Number.isNaN(value) ? {} : ({ [name]: value } as { [Key in Name]?: number });
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
    observed: presentable(rule.observed(facts), entry),
    limit: presentable(rule.limit(facts), entry),
    unit,
  };
}

function presentable(value: Observed, entry: CatalogueEntry): Observed | null {
  if (value === '' || (typeof value === 'number' && !Number.isFinite(value))) return null;
  return rounded(value, entry.unit);
}
