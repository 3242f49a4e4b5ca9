/** The report as one HTML page without scripts and without references to other files: for a browser, a file and print. Pure. */
import { reportPage, shown } from '../lib/report-style.js';
import { chartsOf, spanStrip } from './charts.js';
import {
  averageRows,
  COMPARED_COLUMNS,
  changes,
  comparedRows,
  duration,
  FORWARD_COLUMNS,
  facts,
  forwardRows,
  headline,
  INPUT_COLUMNS,
  inputRows,
  type ReportRow,
  settingRows,
  utc,
} from './lines.js';
import type { BroadcastReport, RuleReport } from './report.js';

/** Printed, more rules go on to the second page. */
const FIRST_PAGE_RULES = 8;

export function htmlReport(report: BroadcastReport): string {
  const title = `Report: ${report.title ?? `broadcast ${report.id}`}`;
  const charts = chartsOf(report);
  return reportPage(title, [
    top(title, report),
    verdict(report),
    ...(changes(report).length === 0 ? [] : [section('What to change before the next broadcast', advice(report))]),
    section('Errors', report.rules.length === 0 ? '<p>No errors.</p>' : ruleTable(report)),
    report.rules.length > FIRST_PAGE_RULES ? '<div>' : '<div class="second">',
    ...(charts === '' ? [] : [section('Timeline', charts)]),
    `<div class="cols">${[
      ...tableSection('Averages', ['Measure', 'Mean', 'Lowest', 'Highest'], averageRows(report)),
      ...tableSection('Encoder and settings', [], settingRows(report)),
    ].join('')}</div>`,
    ...tableSection('Compared with the last ones', COMPARED_COLUMNS, comparedRows(report)),
    ...tableSection('Two encoders', INPUT_COLUMNS, inputRows(report)),
    ...tableSection('Forwards', FORWARD_COLUMNS, forwardRows(report)),
    section(
      'Details',
      table(
        [],
        facts(report).map(([name, value]) => [name, name === 'Status' ? statusOf(value) : value]),
      ),
    ),
    '</div>',
  ]);
}

/** Names of the pages; a state that they do not name is said by its own. */
const STATES: Readonly<Record<string, string>> = {
  LIVE: 'Live',
  LIVE_STOPPED: 'Ended',
  PROCESSING: 'Processing',
  VOD: 'Recorded',
  UNPUBLISHED: 'Waiting for stream',
};
const statusOf = (status: string): string => STATES[status] ?? status;

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`;

const tableSection = (title: string, head: readonly string[], rows: readonly ReportRow[]): readonly string[] =>
  rows.length === 0 ? [] : [section(title, table(head, rows))];

/** `data:` URLs of a JPEG are all that a picture may be. */
const PICTURE = /^data:image\/jpeg;base64,[\w+/=]+$/;

function top(title: string, report: BroadcastReport): string {
  const { started, ended, until, duration_ms: lengthMs, picture = '' } = report;
  const times = `<p class="muted">${utc(started)} to ${utc(ended ?? until ?? '')}, ${duration(lengthMs)}</p>`;
  const image = PICTURE.test(picture) ? `<img src="${picture}" alt="A picture of the broadcast">` : '';
  return `<div class="top"><div><h1>${shown(title)}</h1>${times}</div>${image}</div>`;
}

function verdict(report: BroadcastReport): string {
  const { compared, errors, warnings, duration_ms: lengthMs, end_reason: reason } = report;
  const brokenMs = compared[0]?.broken_ms ?? 0;
  const share = lengthMs === 0 ? 0 : Math.round((100 * (lengthMs - brokenMs)) / lengthMs);
  const tone = errors > 0 ? 'fail' : warnings > 0 || report.connection_lost === true ? 'warn' : 'pass';
  const free = errors > 0 ? `; ${share} % of the time was free of errors.` : '.';
  const why = reason === undefined ? '' : `<br><small>${shown(reason)}</small>`;
  return `<section class="verdict ${tone}">${headline(report)}${free}${why}</section>`;
}

function advice(report: BroadcastReport): string {
  const items = changes(report).map(([codes, text]) => `<li>${shown(text)} <small>(${shown(codes)})</small></li>`);
  return `<ol>${items.join('')}</ol>`;
}

function ruleTable({ rules, duration_ms: lengthMs }: BroadcastReport): string {
  const rows = rules.map((rule) => {
    const tone = rule.severity === 'error' ? 'fail' : 'warn';
    const name = `<b class="${tone}">${shown(rule.title ?? rule.error_type)}</b><br>${shown(sentenceOf(rule))}<br><small>${ruleNote(rule)}</small>`;
    const broken = `broken ${duration(rule.broken_ms)} of ${duration(lengthMs)}`;
    return `<tr><td>${name}</td><td>${spanStrip(rule, lengthMs)}${broken}</td><td>${rule.times}</td></tr>`;
  });
  return `<div class="wide"><table class="rules"><tr><th>Rule</th><th>When it was broken</th><th>Times</th></tr>${rows.join('')}</table></div>`;
}

/** Without the code before it and the remedy after it, which stand elsewhere. */
function sentenceOf({ description, remediation }: RuleReport): string {
  return description
    .replace(/^\[[^\]]*\]\s*/, '')
    .replace(remediation, '')
    .trim();
}

function ruleNote({ error_code: code, severity, is_open: isOpen, causes }: RuleReport): string {
  const parts = [String(code), severity, ...(isOpen ? ['open'] : [])];
  if (causes.length > 0) parts.push(`cause ${causes.join(', ')}`);
  return shown(parts.join(', '));
}

function table(head: readonly string[], rows: readonly ReportRow[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${shown(cell)}</${tag}>`).join('')}</tr>`;
  const lines = [...(head.length === 0 ? [] : [line(head, 'th')]), ...rows.map((row) => line(row, 'td'))];
  return `<div class="wide"><table>${lines.join('')}</table></div>`;
}
