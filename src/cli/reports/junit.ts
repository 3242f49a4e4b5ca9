/** The report as JUnit XML: a suite per file, a case per rule. Warnings fail a case only when they fail the run. */
import { visible, visibleLines } from '../../lib/visible.js';
import { comparison } from './expectation.js';
import { type FailOn, type FileReport, failures, STOPPED } from './report.js';

interface Case {
  readonly name: string;
  readonly result: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
  readonly details: string;
}

export function junitReport(reports: readonly FileReport[], failOn: FailOn): string {
  const suites = reports.map((report) => suite(report, casesOf(report, failOn)));
  const all = reports.flatMap((report) => casesOf(report, failOn));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="airlock"${counts(all)}>\n${suites.join('\n')}\n</testsuites>\n`;
}

function suite(report: FileReport, cases: readonly Case[]): string {
  const seconds = ((report.stream?.streamTimeMs ?? 0) / 1000).toFixed(3);
  const lines = cases.map((each) => testCase(report.file, each));
  return `  <testsuite name="${quoted(visible(report.file))}"${counts(cases)}${skippedCount(cases)} time="${seconds}">\n${lines.join('\n')}\n  </testsuite>`;
}

function counts(cases: readonly Case[]): string {
  const count = (result: Case['result']) => cases.filter((each) => each.result === result).length;
  return ` tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
}

/** On suites only: the schema published by Jenkins does not allow it on `testsuites`. */
function skippedCount(cases: readonly Case[]): string {
  return ` skipped="${cases.filter(({ result }) => result === 'skipped').length}"`;
}

function testCase(file: string, { name, result, type, message, details }: Case): string {
  const open = `    <testcase classname="${quoted(visible(file))}" name="${quoted(name)}" time="0"`;
  if (result === 'passed')
    return details === '' ? `${open}/>` : `${open}><system-out>${escaped(details)}</system-out></testcase>`;
  if (result === 'skipped') return `${open}><skipped/></testcase>`;
  return `${open}><${result} type="${quoted(type)}" message="${quoted(message)}">${escaped(details)}</${result}></testcase>`;
}

function casesOf(report: FileReport, failOn: FailOn): Case[] {
  const cases: Case[] = [];
  if (report.problem !== undefined) {
    cases.push({ name: 'readable', result: 'error', type: 'UNREADABLE', message: report.problem, details: '' });
  }
  if (report.published !== undefined) {
    const message = report.notes.at(-1) ?? '';
    const result = report.published ? 'passed' : 'failure';
    const details = report.notes.filter((note) => note.startsWith(STOPPED)).join('\n');
    cases.push({ name: 'published', result, type: 'NOT_PUBLISHED', message, details });
  }
  const expected = report.expectation;
  for (const rule of report.rules) {
    const records = report.errors.filter((record) => record.error_code === rule.code);
    const details = records.map((record) => `${record.stream_time_ms} ms: ${record.description}`).join('\n');
    // With an expectation, the comparison decides and rules do not fail.
    const fails =
      expected === undefined &&
      report.known?.includes(rule.code) !== true &&
      (rule.judged === 'fail' || (rule.judged === 'warn' && failOn === 'warning'));
    const result = rule.judged === 'not-judged' ? 'skipped' : fails ? 'failure' : 'passed';
    cases.push({
      name: `${rule.code} ${rule.type}`,
      result,
      type: rule.type,
      message: records[0]?.description ?? '',
      details,
    });
  }
  for (const { id, title, text } of failures(report))
    cases.push({ name: title, result: 'failure', type: id, message: text, details: '' });
  if (expected !== undefined) {
    cases.push({
      name: 'expected errors',
      result: expected.met ? 'passed' : 'failure',
      type: 'EXPECTATION',
      message: comparison(expected),
      details: '',
    });
  }
  return cases;
}

/** An attribute value: XML parsers normalize unescaped line feeds to spaces. */
export function quoted(text: string): string {
  return escaped(text).replaceAll('\n', '&#10;');
}

/** XML 1.0 text: markup as entities, control characters as escapes, other forbidden characters replaced. */
export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return visibleLines(text)
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
