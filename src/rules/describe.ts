/** Texts of a record: complete sentences, within 255 bytes where possible because encoders show no more. */

import { byteLength, itemsWithin, SHOWN_BYTES, wordsWithin } from '../lib/text.js';
import type { Observed } from '../spec/error-record.js';
import { type CatalogueEntry, groupThousands, type Unit } from './catalogue-entry.js';

/** A value as stored, rounded to its significant digits. */
export function rounded(value: Observed, unit: Unit): Observed {
  if (typeof value !== 'number') return value;
  if (unit === 'ratio') return Number(value.toFixed(3));
  if (unit === 'fps' || unit === '%' || unit === 'key frames/s') return Number(value.toFixed(2));
  if (unit === 'LUFS' || unit === 'dB') return Number(value.toFixed(1));
  return Math.round(value);
}

/** A value with its unit, for display. */
export function formatValue(value: Observed, unit: Unit): string {
  if (typeof value !== 'number') return unit === 'Hz' ? formatKilohertz(value) : String(value);
  switch (unit) {
    case 'ms':
      return formatDuration(value);
    case 'kbps':
      return `${groupThousands(Math.round(value))} kbps`;
    case 'fps':
      return `${Number(value.toFixed(2))} fps`;
    case 'Hz':
      return `${value / 1000} kHz`;
    case 'channels':
      return value === 1 ? 'one channel' : `${value} channels`;
    case 'ratio':
      return String(Number(value.toFixed(2)));
    case '%':
      return `${Number(value.toFixed(1))} %`;
    case 'LUFS':
    case 'dB':
      return `${Number(value.toFixed(1))} ${unit}`;
    case 'key frames/s':
      return `${Number(value.toFixed(1))} key frames a second`;
    default:
      return String(value);
  }
}

/** '44100 or 48000' → '44.1 or 48 kHz' */
function formatKilohertz(list: Observed): string {
  return `${String(list).replace(/\d+/g, (hertz) => String(Number(hertz) / 1000))} kHz`;
}

function formatDuration(ms: number): string {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)} ms`;
  if (Math.abs(ms) < 600_000) return `${Number((ms / 1000).toFixed(2))} s`;
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `${ms < 0 ? '-' : ''}${hours > 0 ? `${hours} h` : ''}${hours > 0 && rest > 0 ? ' ' : ''}${rest > 0 ? `${rest} min` : ''}`;
}

export interface Findings {
  readonly observed: Observed;
  readonly limit: Observed;
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** A value cut below this is meaningless; the remedy is then cut off instead. */
const MIN_VALUE_BYTES = 32;

/**
 * `[code TYPE] observed; bound. What to change.` Long values are cut where the text would exceed 255 bytes; `observed` and
 * `limit` of the record hold them in full.
 */
export function description(entry: CatalogueEntry, findings: Findings, remediation: string): string {
  const label = `[${entry.code} ${entry.type}]`;
  const tail = remediation === '' ? '' : ` ${remediation}`;
  const room = SHOWN_BYTES - byteLength(label) - 1;
  return `${label} ${fittingSentence(entry, findings, room, byteLength(tail))}${tail}`;
}

/** The sentence with its values, leaving `remedyBytes` free for the remedy if possible. */
function fittingSentence(entry: CatalogueEntry, findings: Findings, room: number, remedyBytes: number): string {
  const observed = formatValue(findings.observed, entry.unit);
  const values: Record<string, string> = { observed, limit: formatValue(findings.limit, entry.unit) };
  // A placeholder may hold the observed value: `for {observed}`.
  for (const [name, text] of Object.entries(findings.placeholders ?? {}))
    values[name] = text.replace('{observed}', () => observed);
  let used = 0;
  const fill = (mostBytes: number): string => {
    used = 0;
    return entry.sentence.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      used++;
      const value = values[name] ?? '';
      return entry.hasLists ? itemsWithin(value, mostBytes) : wordsWithin(value, mostBytes);
    });
  };
  const whole = fill(Number.POSITIVE_INFINITY);
  if (used === 0 || byteLength(whole) + remedyBytes <= room) return whole;
  const valueBytes = room - byteLength(fill(0));
  const perValue = Math.floor((valueBytes - remedyBytes) / used);
  if (perValue >= MIN_VALUE_BYTES) return fill(perValue);
  return byteLength(whole) <= room ? whole : fill(Math.floor(valueBytes / used));
}
