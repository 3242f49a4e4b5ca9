/** Formats values for display. */
import { visible } from '../../../lib/visible.js';

const NUMBERS = new Map<number, Intl.NumberFormat>();

export function number(value: number, digits = 0): string {
  let format = NUMBERS.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat('en', { maximumFractionDigits: digits });
    NUMBERS.set(digits, format);
  }
  return format.format(value);
}

export function kbps(value: number): string {
  return `${number(value)} kbps`;
}

export function hertz(value: number): string {
  return `${number(value / 1000, 3)} kHz`;
}

export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${number(value / 1000 ** step, step < 2 ? 0 : 1)} ${units[step]}`;
}

/** 4050 → '4.05 s' */
export function seconds(ms: number): string {
  return `${number(ms / 1000, 2)} s`;
}

/** A number with its unit as records have it; undefined for one that only counts something. */
export function valueText(value: number, unit: string | null | undefined): string | undefined {
  switch (unit) {
    case '':
    case null:
    case undefined:
      return undefined;
    case 'ms':
      return seconds(value);
    case 'Hz':
      return hertz(value);
    case 'ratio':
      return `${number(value, 2)}:1`;
    case 'channels':
      return value === 1 ? 'mono' : `${number(value)} channels`;
    case 'level':
      return number(value, 1);
    default:
      return `${number(value, 2)} ${unit}`;
  }
}

/** 3,725,000 ms → '1:02:05' */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Elapsed time in the largest whole unit. */
export function ago(thenMs: number, nowMs: number): string {
  const passed = Math.max(0, Math.round((nowMs - thenMs) / 1000));
  if (passed < 5) return 'just now';
  if (passed < 60) return `${passed} s ago`;
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 48 * 3600) return `${Math.floor(passed / 3600)} h ago`;
  return `${Math.floor(passed / 86_400)} days ago`;
}

export function clockTime(ms: number): string {
  return new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(ms);
}

export function dateTime(ms: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(ms);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** The title of the tab. A bidirectional control in it would reorder the texts beside it in the browser's own bar. */
export function pageTitle(place: string, errors: number): string {
  return visible(errors > 0 ? `${plural(errors, 'error')} · ${place}` : place);
}

/** The description of a record without its leading `[code type]` and trailing remedy, which are shown separately. */
export function sentenceOf(record: { readonly description: string; readonly remediation: string }): string {
  const text = record.description.replace(/^\[[^\]]*\]\s*/, '');
  const { remediation } = record;
  return remediation !== '' && text.endsWith(remediation) ? text.slice(0, -remediation.length).trim() : text;
}
