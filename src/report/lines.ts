/** Rows of the report on a broadcast, as text: for the terminal and for HTML. Pure. */
import { countsText, endedSentence } from '../spec/ending.js';
import type { BroadcastReport, RuleReport } from './report.js';

const NAMES: Readonly<Record<string, string>> = {
  video_kbps: 'Video bitrate (kbps)',
  audio_kbps: 'Audio bitrate (kbps)',
  frame_rate: 'Frame rate (fps)',
  key_frame_interval_ms: 'Key frame interval (s)',
};

export type ReportRow = readonly string[];

export function facts(report: BroadcastReport): [string, string][] {
  const end = report.ended === undefined ? 'until' : 'ended';
  const rows: [string, unknown][] = [
    ['Live video', report.id],
    ['Title', report.title],
    ['Status', report.status],
    ['End reason', report.end_reason],
    ['Result', headline(report)],
    ['Started', report.started],
    [end === 'ended' ? 'Ended' : 'Until', report.ended ?? report.until],
    ['Duration', duration(report.duration_ms)],
    ['Judged by', report.specifications.join(', ')],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
}

export function averageRows(report: BroadcastReport): string[][] {
  return Object.entries(report.averages).map(([name, { mean, min, max }]) => [
    NAMES[name] ?? name,
    ...[mean, min, max].map((value) => (name.endsWith('_ms') ? (value / 1_000).toFixed(2) : String(value))),
  ]);
}

/** `Connection lost. 3 errors, 1 warning`, as the pages say it. */
export function headline(report: BroadcastReport): string {
  return endedSentence(report, countsText(report.errors, report.warnings));
}

export const RULE_COLUMNS = ['Rule', 'Severity', 'Times', 'Broken for', 'Share', 'Cause'] as const;

export function ruleRow(rule: RuleReport): string[] {
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
export function changes(report: BroadcastReport): [string, string][] {
  const byText = new Map<string, number[]>();
  for (const { error_code: code, remediation } of report.rules) {
    if (remediation === '') continue;
    byText.set(remediation, [...(byText.get(remediation) ?? []), code]);
  }
  return [...byText].map(([text, codes]) => [codes.join(', '), text]);
}

/** `1 h 02 min 03 s`, `4.1 s` */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor((seconds % 3600) / 60);
  return seconds < 3600
    ? `${minutes} min ${two(seconds % 60)} s`
    : `${Math.floor(seconds / 3600)} h ${two(minutes)} min ${two(seconds % 60)} s`;
}

export const FORWARD_COLUMNS = ['Name', 'Target', 'State', 'Sent', 'Left out'] as const;

export function forwardRows({ forwards }: BroadcastReport): string[][] {
  return forwards.map(({ name, target, text, bytes_sent: sent, dropped_ms: droppedMs }) => [
    name,
    target,
    text,
    sent === undefined ? '' : `${(sent / 1e6).toFixed(1)} MB`,
    droppedMs === undefined ? '' : duration(droppedMs),
  ]);
}

export const COMPARED_COLUMNS = [
  'Broadcast',
  'Started',
  'Duration',
  'Rules broken',
  'Broken for',
  'Video (kbps)',
] as const;

/** This broadcast first; empty if there is none to compare it with. */
export function comparedRows({ compared }: BroadcastReport): string[][] {
  if (compared.length < 2) return [];
  return compared.map((each, index) => [
    `${each.title ?? each.id}${index === 0 ? ' (this one)' : ''}`,
    `${each.started.slice(0, 16).replace('T', ' ')} UTC`,
    duration(each.duration_ms),
    String(each.rules_broken),
    duration(each.broken_ms),
    each.video_kbps === undefined ? '' : String(each.video_kbps),
  ]);
}
