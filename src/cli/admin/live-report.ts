/** `airlock live report` as text and as one HTML page. */
import { escapeHtml } from '../../lib/html.js';
import { textTable, wrap } from '../console/text-table.js';
import type { Answer } from './action.js';

interface Rule {
  readonly error_code: number;
  readonly error_type: string;
  readonly severity: string;
  readonly times: number;
  readonly broken_ms: number;
  readonly broken_share: number;
  readonly is_open: boolean;
  readonly description: string;
  readonly remediation: string;
  readonly causes: readonly number[];
}

type Averages = Readonly<Record<string, { readonly mean: number; readonly min: number; readonly max: number }>>;

const NAMES: Readonly<Record<string, string>> = {
  video_kbps: 'Video bitrate (kbps)',
  audio_kbps: 'Audio bitrate (kbps)',
  frame_rate: 'Frame rate (fps)',
  key_frame_interval_ms: 'Key frame interval (ms)',
};
const DEFAULT_COLUMNS = 100;

const rulesOf = (report: Answer): readonly Rule[] => report.rules as readonly Rule[];

function facts(report: Answer): [string, string][] {
  const end = report.ended === undefined ? 'until' : 'ended';
  const rows: [string, unknown][] = [
    ['Live video', report.id],
    ['Title', report.title],
    ['Status', report.status],
    ['End reason', report.end_reason],
    ['Started', report.started],
    [end === 'ended' ? 'Ended' : 'Until', report[end]],
    ['Duration', duration(Number(report.duration_ms))],
    ['Judged by', (report.specifications as readonly string[]).join(', ')],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
}

function averageRows(report: Answer): string[][] {
  return Object.entries(report.averages as Averages).map(([name, { mean, min, max }]) => [
    NAMES[name] ?? name,
    String(mean),
    String(min),
    String(max),
  ]);
}

const RULE_COLUMNS = ['Rule', 'Severity', 'Times', 'Broken for', 'Share', 'Cause'] as const;

function ruleRow(rule: Rule): string[] {
  return [
    `${rule.error_code} ${rule.error_type}`,
    rule.severity,
    String(rule.times),
    `${duration(rule.broken_ms)}${rule.is_open ? ', open' : ''}`,
    `${(rule.broken_share * 100).toFixed(1)} %`,
    rule.causes.join(', '),
  ];
}

/** The remedies, each once, with the rules that it is for. */
function changes(report: Answer): [string, string][] {
  const byText = new Map<string, number[]>();
  for (const { error_code: code, remediation } of rulesOf(report)) {
    if (remediation === '') continue;
    byText.set(remediation, [...(byText.get(remediation) ?? []), code]);
  }
  return [...byText].map(([text, codes]) => [codes.join(', '), text]);
}

export function textReport(report: Answer, columns = DEFAULT_COLUMNS): string {
  const rows = facts(report);
  const width = Math.max(...rows.map(([name]) => name.length));
  const parts = [rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')];
  const averages = averageRows(report);
  if (averages.length > 0) parts.push(textTable(['Measure', 'Mean', 'Lowest', 'Highest'], averages, columns));
  if (rulesOf(report).length === 0) return [...parts, 'No errors.'].join('\n\n');
  parts.push(textTable([...RULE_COLUMNS], rulesOf(report).map(ruleRow), columns));
  const advice = changes(report).map(([codes, text]) =>
    wrap(`${codes}: ${text}`, columns - 2)
      .map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`))
      .join('\n'),
  );
  if (advice.length > 0) parts.push(`What to change:\n${advice.join('\n')}`);
  return parts.join('\n\n');
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1e21}' +
  'table{border-collapse:collapse;width:100%;margin:1rem 0}td,th{border:1px solid #ccd0d5;padding:.4rem .6rem;text-align:left}' +
  'th{background:#f0f2f5}@media print{body{margin:0}}';

/** One file without scripts and without references to other files. */
export function htmlReport(report: Answer): string {
  const rules = rulesOf(report);
  const title = `Broadcast ${String(report.title ?? report.id)}`;
  const parts = [
    `<h1>${escapeHtml(title)}</h1>`,
    table([], facts(report)),
    ...(averageRows(report).length === 0
      ? []
      : ['<h2>Averages</h2>', table(['Measure', 'Mean', 'Lowest', 'Highest'], averageRows(report))]),
    '<h2>Errors</h2>',
    rules.length === 0 ? '<p>No errors.</p>' : table(RULE_COLUMNS, rules.map(ruleRow)),
    ...(changes(report).length === 0 ? [] : ['<h2>What to change</h2>', table(['Rules', 'Change'], changes(report))]),
  ];
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>\n<body>\n${parts.join('\n')}\n</body>\n</html>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const lines = [...(head.length === 0 ? [] : [line(head, 'th')]), ...rows.map((row) => line(row, 'td'))];
  return `<table>${lines.join('')}</table>`;
}

/** `1 h 02 min 03 s`, `4.1 s` */
function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor((seconds % 3600) / 60);
  return seconds < 3600
    ? `${minutes} min ${two(seconds % 60)} s`
    : `${Math.floor(seconds / 3600)} h ${two(minutes)} min ${two(seconds % 60)} s`;
}
