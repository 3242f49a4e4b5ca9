/** Rows of the report on a broadcast, as text: for the terminal and for HTML. Pure. */
import { countsText, endedSentence } from '../spec/ending.js';
import type { BroadcastReport, InputReport, RuleReport } from './report.js';

export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly per: number;
  readonly digits: number;
}

/** In the order of the report. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  video_kbps: { name: 'Video bitrate', unit: 'kbps', per: 1, digits: 0 },
  audio_kbps: { name: 'Audio bitrate', unit: 'kbps', per: 1, digits: 0 },
  frame_rate: { name: 'Frame rate', unit: 'fps', per: 1, digits: 2 },
  key_frame_interval_ms: { name: 'Key frame interval', unit: 's', per: 1_000, digits: 2 },
};

export const number = (value: number, digits = 2): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits });

/** `2026-11-25 18:44:55 UTC` */
export const utc = (time: string): string => `${time.slice(0, 19).replace('T', ' ')} UTC`;

export type ReportRow = readonly string[];

export function facts(report: BroadcastReport): [string, string][] {
  const end = report.ended === undefined ? 'until' : 'ended';
  const rows: [string, unknown][] = [
    ['Live video', report.id],
    ['Title', report.title],
    ['Status', report.status],
    ['End reason', report.end_reason],
    ['Result', headline(report)],
    ['Started', utc(report.started)],
    [end === 'ended' ? 'Ended' : 'Until', utc(report.ended ?? report.until ?? '')],
    ['Duration', duration(report.duration_ms)],
    ['Judged by', report.specifications.join(', ')],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
}

export function averageRows(report: BroadcastReport): string[][] {
  return Object.entries(report.averages).map(([key, { mean, min, max }]) => {
    const { name, unit, per, digits } = MEASURES[key] ?? { name: key, unit: '', per: 1, digits: 2 };
    return [name, ...[mean, min, max].map((value) => `${number(value / per, digits)} ${unit}`)];
  });
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

export const INPUT_COLUMNS = ['Input', 'Primary', 'Backup'] as const;

/** Both input streams side by side; empty where there is one. */
export function inputRows({ inputs, ended }: BroadcastReport): string[][] {
  if (inputs.length === 0) return [];
  const row = (title: string, cellOf: (input: InputReport) => string): string[] => [title, ...inputs.map(cellOf)];
  const stateOf = ({ on_air: isOnAir, connected }: InputReport): string => {
    if (ended !== undefined) return isOnAir ? 'on air at the end' : '';
    return isOnAir ? 'on air' : connected ? 'stands by' : 'not connected';
  };
  return [
    row('State', stateOf),
    row('Encoder', ({ encoder = '' }) => encoder),
    row('Stream', ({ sent = '' }) => sent),
    row('Put on air', ({ times_put_on_air: times }) => `${times} ${times === 1 ? 'time' : 'times'}`),
    row('Records', ({ errors, warnings }) => countsText(errors, warnings)),
    row('Broken for', ({ broken_ms: brokenMs }) => duration(brokenMs)),
  ];
}

export const FORWARD_COLUMNS = ['Name', 'Target', 'State', 'Sent', 'Left out'] as const;

export function forwardRows({ forwards }: BroadcastReport): string[][] {
  return forwards.map(({ name, target, text, bytes_sent: sent, dropped_ms: droppedMs }) => [
    name,
    target,
    text,
    sent === undefined ? '' : `${number(sent / 1e6, 1)} MB`,
    droppedMs === undefined ? '' : duration(droppedMs),
  ]);
}

export const COMPARED_COLUMNS = [
  'Broadcast',
  'Started',
  'Duration',
  'Rules broken',
  'Broken for',
  'Video bitrate',
] as const;

/** This broadcast first; empty if there is none to compare it with. */
export function comparedRows({ compared }: BroadcastReport): string[][] {
  if (compared.length < 2) return [];
  return compared.map((each, index) => [
    `${each.title ?? each.id}${index === 0 ? ' (this one)' : ''}`,
    utc(each.started),
    duration(each.duration_ms),
    String(each.rules_broken),
    duration(each.broken_ms),
    each.video_kbps === undefined ? '' : `${number(each.video_kbps, 0)} kbps`,
  ]);
}

/** Encoder and settings of the last stream. */
export function settingRows({ stream }: BroadcastReport): string[][] {
  if (stream === undefined) return [];
  const { encoder = '', width, height, frame_rate: rate, h264_level_idc: level, sample_rate: hertz, channels } = stream;
  const joined = (...parts: (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(', ');
  const rows = [
    ['Encoder', encoder],
    [
      'Picture',
      joined(
        width === undefined || height === undefined ? undefined : `${width}×${height}`,
        rate === undefined ? undefined : `${number(rate)} fps`,
      ),
    ],
    ['Video codec', joined(stream.video_codec, level === undefined ? undefined : `level ${levelName(level)}`)],
    [
      'Audio',
      joined(
        stream.audio_codec,
        hertz === undefined ? undefined : `${number(hertz / 1_000)} kHz`,
        channels === undefined ? undefined : channelNames(channels),
      ),
    ],
  ];
  return rows.filter(([, value]) => value !== '');
}

const levelName = (idc: number): string => (idc === 9 ? '1b' : (idc / 10).toFixed(1));

const channelNames = (channels: number): string =>
  channels === 1 ? 'mono' : channels === 2 ? 'stereo' : `${channels} channels`;
