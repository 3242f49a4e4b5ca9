/** The result of a file as the parts of the dashboard show a broadcast. Stream time stands for wall time. Pure. */
import type { FileRecord, FileResult } from '../../../check/file-report.js';
import type { RuleVerdict } from '../../../judge/judge-types.js';
import { defined } from '../../../lib/objects.js';
import { countsText } from '../../../spec/ending.js';
import { type ErrorView, familyOf } from '../../../spec/error-view.js';
import { PUBLISHED } from '../../../spec/house.js';
import type { Sent } from '../shared/advice.js';
import { FAULTS } from '../shared/faults.js';
import { bytes, duration, kbps, number, valueText } from '../shared/format.js';
import type { HealthLine } from '../shared/health-line.js';
import { SPEC_ROWS, type SpecRow } from '../shared/spec-rows.js';
import type { RowVerdict, Verdict } from '../shared/verdicts.js';

/** Remedies of one encoder family by code; undefined: those of the encoder that was found. */
export type FamilyRemedies = Readonly<Record<number, string>> | undefined;

export function recordViews({ errors }: FileResult, remedies?: FamilyRemedies): readonly ErrorView[] {
  return errors.map((record, index) => recordView(record, index + 1, remedies?.[record.error_code]));
}

function recordView(record: FileRecord, sequence: number, chosen: string | undefined): ErrorView {
  const { cleared_stream_time_ms: clearedMs, open_ms: openMs = 0, spec = PUBLISHED, ...shown } = record;
  const timestamp = new Date(record.stream_time_ms).toISOString();
  const remediation = chosen ?? record.remediation;
  const description = `${sentenceBefore(record)} ${remediation}`.trim();
  return {
    ...shown,
    error_family: familyOf(record),
    id: String(sequence),
    sequence,
    revision: sequence,
    description,
    remediation,
    error_message: description,
    creation_time: timestamp,
    timestamp,
    open_ms: openMs,
    ...(clearedMs === undefined ? { open_since: timestamp } : { cleared_time: new Date(clearedMs).toISOString() }),
    source: 'stream',
    spec,
  };
}

function sentenceBefore({ description, remediation }: FileRecord): string {
  return remediation !== '' && description.endsWith(remediation)
    ? description.slice(0, -remediation.length).trimEnd()
    : description;
}

/** The stream as its advice needs it. Without the encoder: the remedies are in the words of the one that was chosen. */
export function sentOf({ stream }: FileResult): Sent {
  return defined({
    width: stream?.width,
    height: stream?.height,
    frame_rate: stream?.frameRate,
    frame_rate_class: stream?.frameRateClass,
    video_bitrate_kbps: stream?.videoBitrateKbps,
    audio_bitrate_kbps: stream?.audioBitrateKbps,
  });
}

export function fileLine(result: FileResult): HealthLine {
  const { outcome, problem, errors, stream, bytes: size } = result;
  const sent = [
    ...(stream?.width === undefined || stream.height === undefined ? [] : [`${stream.width}×${stream.height}`]),
    ...(stream?.frameRate === undefined ? [] : [`${number(stream.frameRate, 1)} fps`]),
    ...(stream?.videoBitrateKbps === undefined ? [] : [kbps(stream.videoBitrateKbps)]),
    ...(stream === undefined ? [] : [duration(stream.streamTimeMs)]),
    ...(size === 0 ? [] : [bytes(size)]),
    ...(stream === undefined || stream.encoder === '' || stream.encoder === 'unknown' ? [] : [stream.encoder]),
  ];
  const count = (severity: FileRecord['severity']) => errors.filter((record) => record.severity === severity).length;
  const counts = countsText(count('error'), count('warning'));
  switch (outcome) {
    case 'unreadable': {
      const isJudged = hasVerdicts(result);
      const where = isJudged ? ' to its end' : '';
      const judged = !isJudged || errors.length === 0 ? '' : ` Before that: ${counts}.`;
      return { word: 'Poor', tone: 'fail', sentence: `Cannot be read${where}: ${problem ?? ''}.${judged}`, sent };
    }
    case 'error':
      return { word: 'Poor', tone: 'fail', sentence: counts, sent };
    case 'warning':
      return { word: 'Fair', tone: 'warn', sentence: counts, sent };
    case 'pass':
      return { word: 'Good', tone: 'pass', sentence: 'All checks pass.', sent };
  }
}

/** An upload that cannot be read at all has a record that says so. */
function hasVerdicts({ spec, rules }: FileResult): boolean {
  return spec === 'live' ? rules.length > 0 : rules.some(({ judged }) => judged === 'pass');
}

const VERDICTS: Readonly<Record<RuleVerdict['judged'], Verdict>> = {
  pass: 'pass',
  warn: 'warn',
  fail: 'fail',
  'not-judged': 'unjudged',
};

const BY_CODE = new Map(FAULTS.map((fault) => [fault.code, fault]));
const GROUPS = new Map(SPEC_ROWS.map(({ id, group }) => [id, group]));

/** A longer value stands below the title, where it has the width of the table. */
const LONGEST_VALUE = 32;

/** A row for each rule, by its number. */
export function ruleRows({ rules }: FileResult, records: readonly ErrorView[]): readonly RowVerdict[] {
  return rules.map((rule): RowVerdict => {
    const { code, unit } = rule;
    const observed = textOf(rule.observed, unit);
    const limit = textOf(rule.limit, unit);
    const isLong = (observed?.length ?? 0) > LONGEST_VALUE;
    return {
      row: rowOf(rule),
      verdict: VERDICTS[rule.judged],
      observed: isLong ? undefined : observed,
      bound: [
        ...(isLong ? [observed] : []),
        ...(limit === undefined || limit === observed ? [] : [`bound: ${limit}`]),
      ].join('; '),
      gauge: undefined,
      records: records.filter((record) => record.error_code === code),
    };
  });
}

function rowOf({ code, type, title, judged }: RuleVerdict): SpecRow {
  const fault = BY_CODE.get(code);
  const isGood = judged === 'pass' || judged === 'not-judged';
  return {
    id: String(code),
    title: `${isGood ? (fault?.passes ?? title) : title} (${code})`,
    group: GROUPS.get(fault?.row ?? '') ?? uploadGroup(type),
    codes: [code],
    bound: () => '',
    observed: () => undefined,
  };
}

function uploadGroup(type: string): SpecRow['group'] {
  if (type.startsWith('UPLOAD_AUDIO_')) return 'Audio';
  return type === 'UPLOAD_ASPECT_RATIO' ? 'Video' : 'Stream';
}

function textOf(value: RuleVerdict['observed'], unit: string): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'number') return valueText(value, unit) ?? number(value, 2);
  return typeof value === 'string' && unit === 'level' ? value : String(value);
}

/** Encoders whose menus the remedies name. */
export const ENCODERS = {
  found: 'As found in the file',
  '': 'Any encoder',
  obs: 'OBS Studio',
  streamlabs: 'Streamlabs Desktop',
  ffmpeg: 'ffmpeg',
  gstreamer: 'GStreamer',
  vmix: 'vMix',
  wirecast: 'Wirecast',
  larix: 'Larix Broadcaster',
  xsplit: 'XSplit',
  hardware: 'Hardware encoder',
} as const;

export type Encoder = keyof typeof ENCODERS;

/** Version of docs/validate.schema.json. */
const REPORT_VERSION = 1;

/** The document that `airlock validate --format json` prints for these files. */
export function resultsAsJson(results: readonly FileResult[], version: string): string {
  const count = (outcome: FileResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const [withErrors, unreadable] = [count('error'), count('unreadable')];
  const summary = {
    files: results.length,
    passed: count('pass'),
    with_warnings: count('warning'),
    with_errors: withErrors,
    unreadable,
    failed: withErrors + unreadable,
  };
  const content = { version: REPORT_VERSION, tool: { name: 'airlock', version }, summary, files: results };
  return `${JSON.stringify(content, null, 2)}\n`;
}
