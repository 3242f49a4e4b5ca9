/** Log lines for a person at a terminal: time (UTC), level, message, fields. Elsewhere lines are JSON. */

import { isRecord } from '../../lib/objects.js';
import { visible, visibleLines } from '../../lib/visible.js';

/** SGR codes of the level. */
const COLORS: Readonly<Record<string, number>> = { debug: 90, info: 36, warn: 33, error: 31 };
const LEVEL_COLUMNS = 5;

/** `line`: JSON with `time`, `level` and `msg`, as it is written elsewhere. Other text stays, with its control characters escaped. */
export function prettyLine(line: string, hasColors: boolean): string {
  const entry = parsed(line);
  if (entry === undefined) return visibleLines(line);
  const { time, level, msg, error, ...fields } = entry;
  const name = String(level);
  const color = hasColors ? COLORS[name] : undefined;
  const label = name.toUpperCase();
  const gap = ' '.repeat(Math.max(0, LEVEL_COLUMNS - label.length));
  const clock = String(time).slice(11);
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${plain(value)}`);
  const cause = isRecord(error) ? [`error=${plain(error.message)}`] : [];
  const shownLevel = `${color === undefined ? label : `\u001b[${color}m${label}\u001b[0m`}${gap}`;
  const text = [clock, shownLevel, plain(msg), ...shown, ...cause].filter((part) => part !== '').join('  ');
  return `${text}\n${isRecord(error) ? stackOf(error) : ''}`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return visible(text);
}

function stackOf({ stack }: Readonly<Record<string, unknown>>): string {
  if (typeof stack !== 'string') return '';
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return lines.map((line) => `${visible(line)}\n`).join('');
}
