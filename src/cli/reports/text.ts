/** A report for people: a row for each rule, then what was broken and when, and what to change. */
import { spoken } from '../../rules/describe.js';
import { CATALOGUE } from '../../spec/errors.js';
import { textTable } from '../text-table.js';
import type { FileRecord, FileReport } from '../validate/report.js';

const WORDS = { pass: 'pass', warn: 'WARN', fail: 'FAIL', 'not-judged': '-' } as const;

export function textReport(reports: readonly FileReport[], columns?: number): string {
  const parts = reports.map((report) => oneFile(report, columns));
  if (reports.length > 1) parts.push(overview(reports, columns));
  return `${parts.join('\n\n')}\n`;
}

function oneFile(report: FileReport, columns: number | undefined): string {
  const parts = [`${report.file}: ${headline(report)}`, ...report.notes];
  if (report.rules.length > 0 && report.published === undefined)
    parts.push(`${streamLine(report)}\n\n${ruleTable(report, columns)}`);
  if (report.errors.length > 0) parts.push(report.errors.map(recordLines).join('\n\n'));
  if (report.expectation !== undefined) parts.push(expectationLine(report.expectation));
  return parts.join('\n\n');
}

function headline(report: FileReport): string {
  if (report.outcome === 'unreadable') return `cannot be judged whole: ${report.problem}`;
  const count = (severity: string) => report.errors.filter((record) => record.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (report.published === false && errors + warnings === 0) return 'the stream did not come through';
  // Silence is no verdict: most servers look at nothing.
  if (report.published === true && errors + warnings === 0) return 'came through, and the server named no fault';
  if (errors + warnings === 0) return 'nothing that breaks the specification';
  const words = [many(errors, 'error'), many(warnings, 'warning')].filter((word) => word !== '');
  return words.join(', ');
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
    const say = (value: typeof rule.observed) => (value === null ? '' : spoken(value, unit));
    const isInfo = report.errors.some(({ error_code: code, severity }) => code === rule.code && severity === 'info');
    return [isInfo ? 'info' : WORDS[rule.judged], String(rule.code), rule.title, say(rule.observed), say(rule.limit)];
  });
  const left = report.rules.length - judged.length;
  const remark = `${left} rules were not judged: they need the clock of a broadcast, or data that the file lacks.`;
  if (rows.length === 0) return remark;
  const table = textTable(['', 'Code', 'Fault looked for', 'Observed', 'Bound'], rows, columns);
  return left === 0 ? table : `${table}\n${remark}`;
}

function recordLines(record: FileRecord): string {
  const until = record.cleared_stream_time_ms;
  const span = until === undefined || until <= record.stream_time_ms ? '' : ` to ${streamTime(until)}`;
  const times = record.count > 1 ? `, ${record.count} times` : '';
  return `  ${record.severity} at ${streamTime(record.stream_time_ms)}${span}${times}\n    ${record.description}`;
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
  return textTable(['Outcome', 'File', 'Codes'], rows, columns);
}

function codesOf(report: FileReport): string {
  return report.errors
    .map((record) => record.error_code)
    .sort()
    .join(' ');
}

/** `0:00:04.050` */
export function streamTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(whole / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(whole % 1000).padStart(3, '0')}`;
}
