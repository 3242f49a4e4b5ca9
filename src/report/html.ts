/** The report as one HTML page without scripts and without references to other files: for a browser, a file and print. Pure. */
import { REPORT_STYLE } from '../lib/report-style.js';
import { escapeHtml, visible } from '../lib/visible.js';
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
  type ReportRow,
} from './lines.js';
import type { BroadcastReport, RuleReport } from './report.js';

export function htmlReport(report: BroadcastReport): string {
  const title = `Report: ${report.title ?? `broadcast ${report.id}`}`;
  const end = report.ended ?? report.until ?? '';
  const parts = [
    `<h1>${shown(title)}</h1>`,
    `<p class="muted">${utc(report.started)} to ${utc(end)}, ${duration(report.duration_ms)}</p>`,
    verdict(report),
    ...(changes(report).length === 0 ? [] : [section('What to change before the next broadcast', advice(report))]),
    section('Errors', report.rules.length === 0 ? '<p>No errors.</p>' : ruleTable(report)),
    ...(averageRows(report).length === 0
      ? []
      : [section('Averages', table(['Measure', 'Mean', 'Lowest', 'Highest'], averageRows(report)))]),
    ...(comparedRows(report).length === 0
      ? []
      : [section('Compared with the last ones', table(COMPARED_COLUMNS, comparedRows(report)))]),
    ...(report.forwards.length === 0 ? [] : [section('Forwards', table(FORWARD_COLUMNS, forwardRows(report)))]),
    section('Details', table([], facts(report))),
  ];
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${shown(title)}</title><style>${REPORT_STYLE}</style>`;
  return `<!doctype html>\n<html lang="en">\n<head>${head}</head>\n<body>\n<main>\n${parts.join('\n')}\n</main>\n</body>\n</html>`;
}

/** Titles and what encoders call themselves are part of all texts. */
const shown = (text: string): string => escapeHtml(visible(text));

const utc = (time: string): string => `${shown(time.slice(0, 19).replace('T', ' '))} UTC`;

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`;

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
    const name = `<b class="${tone}">${shown(rule.error_type).replaceAll('_', '_<wbr>')}</b><br>${shown(sentenceOf(rule))}<br><small>${ruleNote(rule)}</small>`;
    const bar = `<progress max="1" value="${rule.broken_share}" aria-label="Share of the time"></progress>`;
    const broken = `broken ${duration(rule.broken_ms)} of ${duration(lengthMs)}`;
    return `<tr><td>${name}</td><td>${bar}<br>${broken}</td><td>${rule.times}</td></tr>`;
  });
  return `<div class="wide"><table><tr><th>Rule</th><th>Share of the time</th><th>Times</th></tr>${rows.join('')}</table></div>`;
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
