/** The result of a file as one HTML page without scripts and without references to other files. Pure. */
import type { FileResult } from '../../../check/file-report.js';
import { reportPage, shown } from '../../../lib/report-style.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { adviceOf } from '../shared/advice.js';
import { duration, sentenceOf } from '../shared/format.js';
import { liveText } from '../shared/live-text.js';
import { type RowVerdict, titleOf, type Verdict } from '../shared/verdicts.js';
import { fileLine, sentOf } from './file-rows.js';

export interface FileReportSources {
  readonly result: FileResult;
  readonly records: readonly ErrorView[];
  readonly rows: readonly RowVerdict[];
  /** Name of own bounds. */
  readonly spec: string | undefined;
}

export function htmlOfFile({ result, records, rows, spec }: FileReportSources): string {
  const title = `Check: ${result.file}`;
  const line = fileLine(result);
  const { steps } = adviceOf(worthChanging(records), sentOf(result));
  const parts = [
    `<h1>${shown(title)}</h1>`,
    `<p class="muted">Judged by ${spec === undefined ? 'the published specification' : shown(spec)}</p>`,
    `<section class="verdict ${line.tone}">${shown(line.sentence)}<br><small>${shown(line.sent.join(' · '))}</small></section>`,
    ...(result.notes.length === 0 ? [] : [section('Notes', list('ul', result.notes))]),
    ...(steps.length === 0 ? [] : [section('What to change', list('ol', steps))]),
    section('Findings', records.length === 0 ? '<p>None.</p>' : findings(records, result.stream?.streamTimeMs ?? 0)),
    ...(rows.length === 0 ? [] : [section('Rules', rules(rows))]),
  ];
  return reportPage(title, parts);
}

/** Causes are no faults to mend. */
export function worthChanging(records: readonly ErrorView[]): readonly ErrorView[] {
  return records.filter(({ severity }) => severity !== 'info');
}

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`;

function list(tag: 'ol' | 'ul', texts: readonly string[]): string {
  return `<${tag}>${texts.map((text) => `<li>${shown(text)}</li>`).join('')}</${tag}>`;
}

function findings(records: readonly ErrorView[], untilMs: number): string {
  const rows = records.map((record) => {
    const tone = record.severity === 'error' ? 'fail' : record.severity === 'warning' ? 'warn' : '';
    const isOfWhole = record.evidence?.first.kind === 'file';
    const lasted = isOfWhole ? [] : [liveText(record, untilMs)];
    const note = [String(record.error_code), record.error_type, ...lasted].join(' · ');
    return `<tr><td>${isOfWhole ? '–' : duration(record.stream_time_ms ?? 0)}</td><td><b class="${tone}">${shown(titleOf(record))}</b><br>${shown(sentenceOf(record))}<br><small>${shown(note)}</small></td></tr>`;
  });
  return `<div class="wide"><table><tr><th>Time</th><th>Finding</th></tr>${rows.join('')}</table></div>`;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  pass: 'pass',
  warn: 'warning',
  fail: 'fail',
  unjudged: 'not judged',
};
const TONES: Readonly<Record<Verdict, string>> = { pass: 'pass', warn: 'warn', fail: 'fail', unjudged: '' };

function rules(rows: readonly RowVerdict[]): string {
  const lines = rows.map(
    ({ row, verdict, observed, bound }) =>
      `<tr><td>${shown(row.title)}<br><small>${shown(bound)}</small></td><td>${shown(observed ?? '–')}</td><td><b class="${TONES[verdict]}">${WORDS[verdict]}</b></td></tr>`,
  );
  return `<div class="wide"><table><tr><th>Rule</th><th>Observed</th><th>Verdict</th></tr>${lines.join('')}</table></div>`;
}
