/** The report as text: a row per rule, then the error records with their times and remedies. */
import type { FileRecord } from '../../check/file-report.js';
import { visible, visibleLines } from '../../lib/visible.js';
import type { Unit } from '../../rules/catalogue-entry.js';
import { formatValue } from '../../rules/describe.js';
import { catalogueEntry } from '../../rules/registry/catalogue.js';
import { uploadReadable } from '../../rules/upload/readable.js';
import type { Observed } from '../../spec/error-record.js';
import type { ExitCode } from '../console/exit.js';
import { streamTime, textTable, UNWRAPPED, wrap } from '../console/text-table.js';
import { reasons } from './not-judged.js';
import { DROPPED, exitCodeFor, type FailOn, type FileReport, isAccepted, STOPPED } from './report.js';

const VERDICTS = { pass: 'pass', warn: 'WARN', fail: 'FAIL', 'not-judged': '-' } as const;

export interface TextStyle {
  /** Width of the terminal; when absent, nothing is wrapped. */
  readonly columns?: number;
  readonly color?: boolean;
  /** Default: errors. */
  readonly failOn?: FailOn;
  /** Default: that of the reports. */
  readonly exitCode?: ExitCode;
}

export function textReport(reports: readonly FileReport[], style: TextStyle = {}): string {
  const shown = reports.map((report) => ({ ...report, file: visible(nameOf(report.file)) }));
  const parts = shown.map((report) => oneFile(report, style.columns));
  if (shown.length > 1) parts.push(overview(shown, style));
  // Escapes text from files and servers.
  const text = visibleLines(`${parts.join('\n\n')}\n`);
  return style.color === true ? colorize(text) : text;
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function oneFile(report: FileReport, columns = UNWRAPPED): string {
  const parts = [
    lines(`${report.file}: ${headline(report)}`, columns),
    ...report.notes.map((note) => lines(note, columns)),
  ];
  if (report.rules.length > 0 && report.published === undefined)
    parts.push(`${lines(streamLine(report), columns)}\n\n${ruleTable(report, columns)}`);
  if (report.errors.length > 0) parts.push(report.errors.map((record) => recordLines(record, columns)).join('\n\n'));
  if (report.expectation !== undefined) parts.push(expectationLine(report.expectation));
  return parts.join('\n\n');
}

function lines(text: string, columns = UNWRAPPED): string {
  return wrap(visible(text), columns).join('\n');
}

function streamLine(report: FileReport): string {
  const { stream } = report;
  if (stream === undefined) return report.container;
  const size = stream.width === undefined ? '' : `${stream.width}x${stream.height}`;
  const video = [stream.videoCodec, size, stream.frameRate === undefined ? '' : `${stream.frameRate} fps`]
    .filter(Boolean)
    .join(' ');
  const audio = [stream.audioCodec, stream.sampleRate === undefined ? '' : `${stream.sampleRate / 1000} kHz`]
    .filter(Boolean)
    .join(' ');
  const parts = [report.container, streamTime(stream.streamTimeMs), video, audio, encoderOf(stream.encoder)];
  return parts.filter((part) => part !== '').join(' · ');
}

function encoderOf(name: string): string {
  return name === 'unknown' ? 'encoder unknown' : name;
}

function ruleTable(report: FileReport, columns = UNWRAPPED): string {
  const judged = report.rules.filter((rule) => rule.judged !== 'not-judged');
  const rows = judged.map((rule) => {
    const { unit, passes, counts } = catalogueEntry(rule.code);
    const format = (value: typeof rule.observed) =>
      value === null ? '' : cellText(magnitude(value, unit), unit, counts);
    const record = report.errors.find(({ error_code: code }) => code === rule.code);
    const observed = record === undefined ? rule.observed : faultOf(record);
    // Frame sizes below every profile have no minimum bitrate.
    const bound = unit === 'kbps' && rule.limit === 0 ? 'none' : format(rule.limit);
    const isInfo = report.errors.some(({ error_code: code, severity }) => code === rule.code && severity === 'info');
    return [isInfo ? 'info' : VERDICTS[rule.judged], String(rule.code), passes, format(observed), bound];
  });
  const table = rows.length === 0 ? [] : [textTable(['', 'Code', 'Checked for', 'Observed', 'Bound'], rows, columns)];
  return [...table, ...notJudged(report).map((remark) => lines(remark, columns))].join('\n');
}

/** The observed value of a record, which may be cleared: the worst value of a magnitude, else the first one. */
function faultOf({ observed, worst, unit }: FileRecord): Observed {
  return typeof worst === 'number' && unit !== 'ratio' ? worst : observed;
}

/** A value with its unit; aspect ratios as `1.78:1`, since the table has no sentence around them. */
function cellText(value: Observed, unit: Unit, counts: string | undefined): string {
  if (unit === '') {
    if (counts === undefined || typeof value !== 'number') return String(value);
    return `${value} ${value === 1 ? counts.replace(/s$/, '') : counts}`;
  }
  return unit === 'ratio' && typeof value === 'number' ? `${formatValue(value, unit)}:1` : formatValue(value, unit);
}

/** A time without the sign of an offset between tracks, which the description of the record explains. */
function magnitude(value: Observed, unit: Unit): Observed {
  return typeof value === 'number' && unit === 'ms' ? Math.abs(value) : value;
}

/** The rules without a verdict, and why. */
function notJudged(report: FileReport): string[] {
  const { lacksData, needsClock } = reasons(report.rules);
  const list = (rows: typeof lacksData) => rows.map(({ code }) => code).join(', ');
  return [
    ...(lacksData.length === 0 ? [] : [`Not judged (track missing or too short): ${list(lacksData)}.`]),
    ...(needsClock.length === 0 ? [] : [`Not judged (running broadcasts only): ${list(needsClock)}.`]),
  ];
}

function recordLines(record: FileRecord, columns = UNWRAPPED): string {
  const until = record.cleared_stream_time_ms;
  const span = until === undefined || until <= record.stream_time_ms ? '' : ` to ${streamTime(until)}`;
  const times = record.count > 1 ? `, ${record.count} times` : '';
  return `  ${record.severity} at ${streamTime(record.stream_time_ms)}${span}${times}\n${lines(`    ${record.description}`, columns)}`;
}

function expectationLine({ met, missing, unexpected }: NonNullable<FileReport['expectation']>): string {
  if (met) return 'Expectation met.';
  const parts = [
    missing.length > 0 ? `missing ${missing.join(', ')}` : '',
    unexpected.length > 0 ? `unexpected ${unexpected.join(', ')}` : '',
  ];
  return `Expectation NOT met: ${parts.filter((part) => part !== '').join('; ')}.`;
}

function overview(reports: readonly FileReport[], style: TextStyle): string {
  const { columns } = style;
  const rows = reports.map((report) => [
    report.outcome,
    report.file,
    [report.problem ?? '', codesOf(report)].filter((part) => part !== '').join('; '),
  ]);
  const table = textTable(['Outcome', 'File', 'Problem, codes'], rows, columns);
  return `${table}\n\n${lines(sum(reports, style), columns)}`;
}

/**
 * `20 files: 12 passed, 3 with warnings, 4 with errors, 1 unreadable; 2 not of profile 720p30 (exit code 2)`. A file without a violation that
 * fails the run for another reason is not said to have passed.
 */
export function sum(
  reports: readonly FileReport[],
  { failOn = 'error', exitCode = exitCodeFor(reports, failOn) }: TextStyle,
): string {
  const count = (is: (report: FileReport) => boolean, words: string) => {
    const found = reports.filter(is).length;
    return found === 0 ? [] : [`${found} ${words}`];
  };
  const isFailedPass = (report: FileReport) => report.outcome === 'pass' && !isAccepted(report, failOn);
  const outcomes = (Object.keys(SUMMARY) as FileReport['outcome'][]).flatMap((outcome) =>
    count((report) => report.outcome === outcome && !isFailedPass(report), SUMMARY[outcome]),
  );
  const profiles = [...new Set(reports.flatMap(({ profile }) => (profile?.met === false ? [profile.name] : [])))];
  const remarks = [
    ...profiles.flatMap((name) =>
      count(({ profile }) => profile?.met === false && profile.name === name, `not of profile ${name}`),
    ),
    ...count(({ requirement }) => (requirement?.missing.length ?? 0) > 0, 'not judged by all required rules'),
    ...count(({ expectation }) => expectation?.met === false, 'did not meet the expectation'),
    ...count((report) => report.expectation?.met === true && report.outcome !== 'pass', 'met the expectation'),
    ...(failOn === 'warning' ? count(isFailedByWarnings, 'failed by warnings') : []),
  ];
  const parts = [...outcomes, ...count(isFailedPass, 'failed')];
  const counts = `${reports.length} ${reports.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}`;
  return `${[counts, ...(remarks.length === 0 ? [] : [remarks.join(', ')])].join('; ')} (exit code ${exitCode})`;
}

function isFailedByWarnings(report: FileReport): boolean {
  return report.outcome === 'warning' && isAccepted(report, 'error') && !isAccepted(report, 'warning');
}

const SUMMARY = {
  pass: 'passed',
  warning: 'with warnings',
  error: 'with errors',
  unreadable: 'unreadable',
} as const;

function codesOf(report: FileReport): string {
  return [...new Set(report.errors.map((record) => record.error_code))].sort((a, b) => a - b).join(' ');
}

/** Applied after layout, since escape codes have no width. */
export function colorize(text: string): string {
  const [red, yellow, green, plain] = [31, 33, 32, 0].map((code) => `\u001b[${code}m`);
  return text
    .replace(/^(FAIL|unreadable|error)(?= {2})/gm, `${red}$1${plain}`)
    .replace(/^(WARN|warning)(?= {2})/gm, `${yellow}$1${plain}`)
    .replace(/^pass(?= {2})/gm, `${green}pass${plain}`)
    .replace(/^(.+?:[\d:.]+ {2})error(?= {2}\d{4} )/gm, `$1${red}error${plain}`)
    .replace(/^(.+?:[\d:.]+ {2})warning(?= {2}\d{4} )/gm, `$1${yellow}warning${plain}`)
    .replace(/^ {2}error(?= at \d)/gm, `  ${red}error${plain}`)
    .replace(/^ {2}warning(?= at \d)/gm, `  ${yellow}warning${plain}`);
}

/** The first line of a report on one file. */
export function headline(report: FileReport): string {
  const count = (severity: string) => report.errors.filter((record) => record.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const found = [many(errors, 'error'), many(warnings, 'warning')].filter((word) => word !== '').join(', ');
  if (report.outcome === 'unreadable') {
    const isWhy = report.errors.some(({ error_code: code }) => code === uploadReadable.entry.code);
    if (report.rules.length === 0 || isWhy) return `unreadable: ${report.problem}`;
    return `${report.problem} (before that: ${found === '' ? 'no violations' : found})`;
  }
  if (report.published === false && found === '') return 'not published';
  if (report.published === true && found === '' && report.notes.includes(DROPPED))
    return 'published until the requested drop; no errors reported';
  if (report.published === true && found === '' && report.notes.some((note) => note.startsWith(STOPPED)))
    return 'published until stopped; no errors reported';
  // This is no pass: most RTMP servers check nothing.
  if (report.published === true && found === '') return 'published; no errors reported';
  return found === '' ? 'no violations' : found;
}

function many(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
}
