/** A report for people: a row for each rule, then what was broken and when, and what to change. */
import type { Unit } from '../../rules/catalogue-entry.js';
import { formatValue } from '../../rules/describe.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { Observed } from '../../spec/error-record.js';
import { streamTime, visible, visibleLines } from '../console/text.js';
import { textTable, wrap } from '../console/text-table.js';
import { DROPPED, type FileRecord, type FileReport, STOPPED } from './report.js';

/** Pictures smaller than every profile have no least bit rate. */
const BIT_RATE_TOO_LOW = 6211;
const UPLOAD_UNREADABLE = 6707;
const WORDS = { pass: 'pass', warn: 'WARN', fail: 'FAIL', 'not-judged': '-' } as const;

export interface TextStyle {
  /** Width of the terminal; without one, tables are made for 120 columns and sentences stay in one line. */
  readonly columns?: number;
  readonly colour?: boolean;
}

export function textReport(reports: readonly FileReport[], style: TextStyle = {}): string {
  const shown = reports.map((report) => ({ ...report, file: visible(nameOf(report.file)) }));
  const parts = shown.map((report) => oneFile(report, style.columns));
  if (shown.length > 1) parts.push(overview(shown, style.columns));
  // What a file or a server says of itself is in there too.
  const text = visibleLines(`${parts.join('\n\n')}\n`);
  return style.colour === true ? coloured(text) : text;
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function oneFile(report: FileReport, columns: number | undefined): string {
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

/** Wrapped where the width is known: a terminal would break words. */
function lines(text: string, columns: number | undefined): string {
  return columns === undefined ? text : wrap(text, columns).join('\n');
}

function headline(report: FileReport): string {
  const count = (severity: string) => report.errors.filter((record) => record.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const found = [many(errors, 'error'), many(warnings, 'warning')].filter((word) => word !== '').join(', ');
  if (report.outcome === 'unreadable') {
    const isWhy = report.errors.some(({ error_code: code }) => code === UPLOAD_UNREADABLE);
    if (report.rules.length === 0 || isWhy) return `cannot be judged: ${report.problem}`;
    return `cannot be judged whole: ${report.problem}${found === '' ? '' : `; before that ${found}`}`;
  }
  if (report.published === false && found === '') return 'the stream did not come through';
  if (report.published === true && found === '' && report.notes.includes(DROPPED))
    return 'sent so far as was asked for, and the server had named no fault';
  if (report.published === true && found === '' && report.notes.some((note) => note.startsWith(STOPPED)))
    return 'stopped, and the server had named no fault by then';
  // Silence is no verdict: most servers look at nothing.
  if (report.published === true && found === '') return 'came through, and the server named no fault';
  return found === '' ? 'nothing that breaks the specification' : found;
}

function many(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
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

function ruleTable(report: FileReport, columns: number | undefined): string {
  const judged = report.rules.filter((rule) => rule.judged !== 'not-judged');
  const rows = judged.map((rule) => {
    const unit = CATALOGUE.find((row) => row.code === rule.code)?.unit ?? '';
    const say = (value: typeof rule.observed) => (value === null ? '' : said(size(value), unit));
    const record = report.errors.find(({ error_code: code }) => code === rule.code);
    const observed = record === undefined ? rule.observed : faultOf(record);
    const bound = rule.code === BIT_RATE_TOO_LOW && rule.limit === 0 ? 'none' : say(rule.limit);
    const isInfo = report.errors.some(({ error_code: code, severity }) => code === rule.code && severity === 'info');
    return [isInfo ? 'info' : WORDS[rule.judged], String(rule.code), rule.title, say(observed), bound];
  });
  const table =
    rows.length === 0 ? [] : [textTable(['', 'Code', 'Fault looked for', 'Observed', 'Bound'], rows, columns)];
  return [...table, ...notJudged(report).map((remark) => lines(remark, columns))].join('\n');
}

/** What was wrong, which may have passed since: a size that grows by its worst, everything else as the record tells it. */
function faultOf({ observed, worst, unit }: FileRecord): Observed {
  return typeof worst === 'number' && unit !== 'ratio' ? worst : observed;
}

/** In the table no sentence says that a shape is meant. */
function said(value: Observed, unit: Unit | ''): string {
  if (unit === '') return String(value);
  return unit === 'ratio' && typeof value === 'number' ? `${formatValue(value, unit)}:1` : formatValue(value, unit);
}

/** How far tracks are apart, whichever is ahead: the record says which. */
function size(value: Observed): Observed {
  return typeof value === 'number' ? Math.abs(value) : value;
}

/** Which rules gave no verdict, and why. */
function notJudged(report: FileReport): string[] {
  const left = report.rules.filter((rule) => rule.judged === 'not-judged').map((rule) => rule.code);
  const needClock = left.filter((code) => CATALOGUE.some((row) => row.code === code && row.judgedBy === 'arrival'));
  const lackData = left.filter((code) => !needClock.includes(code));
  return [
    ...(lackData.length === 0
      ? []
      : [`Not judged, for the file has no such track or too little of it: ${lackData.join(', ')}.`]),
    ...(needClock.length === 0
      ? []
      : [`Not judged in files, for they need a running broadcast: ${needClock.join(', ')}.`]),
  ];
}

function recordLines(record: FileRecord, columns: number | undefined): string {
  const until = record.cleared_stream_time_ms;
  const span = until === undefined || until <= record.stream_time_ms ? '' : ` to ${streamTime(until)}`;
  const times = record.count > 1 ? `, ${record.count} times` : '';
  return `  ${record.severity} at ${streamTime(record.stream_time_ms)}${span}${times}\n${lines(`    ${record.description}`, columns)}`;
}

function expectationLine({ met, missing, unexpected }: NonNullable<FileReport['expectation']>): string {
  if (met) return 'as expected';
  const parts = [
    missing.length > 0 ? `missing ${missing.join(', ')}` : '',
    unexpected.length > 0 ? `not expected ${unexpected.join(', ')}` : '',
  ];
  return `NOT as expected: ${parts.filter((part) => part !== '').join('; ')}`;
}

function overview(reports: readonly FileReport[], columns: number | undefined): string {
  const rows = reports.map((report) => [
    report.outcome,
    report.file,
    [report.problem ?? '', codesOf(report)].filter((part) => part !== '').join('; '),
  ]);
  const table = textTable(['Outcome', 'File', 'Codes, and what cannot be read'], rows, columns);
  return `${table}\n\n${lines(sum(reports), columns)}`;
}

/** `20 files: 12 pass, 3 with warnings, 4 with errors, 1 that cannot be judged` */
function sum(reports: readonly FileReport[]): string {
  const parts = (Object.keys(SUMS) as FileReport['outcome'][]).flatMap((outcome) => {
    const count = reports.filter((report) => report.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${SUMS[outcome]}`];
  });
  const unmet = reports.filter(({ expectation }) => expectation?.met === false).length;
  return `${reports.length} files: ${parts.join(', ')}${unmet === 0 ? '' : `; ${unmet} not as expected`}`;
}

const SUMS = {
  pass: 'without a fault',
  warning: 'with warnings alone',
  error: 'with errors',
  unreadable: 'that cannot be judged, or not whole',
} as const;

function codesOf(report: FileReport): string {
  return [...new Set(report.errors.map((record) => record.error_code))].sort((a, b) => a - b).join(' ');
}

/** After the widths were counted: the codes take no room. */
function coloured(text: string): string {
  const [red, yellow, green, plain] = [31, 33, 32, 0].map((code) => `\u001b[${code}m`);
  return text
    .replace(/^(FAIL|unreadable|error)(?= {2})/gm, `${red}$1${plain}`)
    .replace(/^(WARN|warning)(?= {2})/gm, `${yellow}$1${plain}`)
    .replace(/^pass(?= {2})/gm, `${green}pass${plain}`)
    .replace(/^ {2}error(?= at \d)/gm, `  ${red}error${plain}`)
    .replace(/^ {2}warning(?= at \d)/gm, `  ${yellow}warning${plain}`);
}
