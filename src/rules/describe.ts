/** The texts of a record: plain complete sentences, in 255 bytes where that is possible (encoders show no more). */

import { byteLength, itemsWithin, SHOWN_BYTES } from '../lib/text.js';
import type { Observed } from '../spec/error-record.js';
import type { CatalogueEntry, Unit } from './catalogue-entry.js';

/** A value as it is kept: no more digits than were measured. */
export function rounded(value: Observed, unit: Unit): Observed {
  if (typeof value !== 'number') return value;
  if (unit === 'ratio') return Number(value.toFixed(3));
  if (unit === 'fps' || unit === '%' || unit === 'key frames/s') return Number(value.toFixed(2));
  return Math.round(value);
}

/** A value as it is said. */
export function spoken(value: Observed, unit: Unit): string {
  if (typeof value !== 'number') return unit === 'Hz' ? inKiloHertz(value) : String(value);
  switch (unit) {
    case 'ms':
      return spokenTime(value);
    case 'kbps':
      return `${grouped(Math.round(value))} kbps`;
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
    case 'key frames/s':
      return `${Number(value.toFixed(1))} key frames a second`;
    default:
      return String(value);
  }
}

/** 44.1 or 48 kHz for `44100 or 48000` */
function inKiloHertz(list: Observed): string {
  return `${String(list).replace(/\d+/g, (hertz) => String(Number(hertz) / 1000))} kHz`;
}

function spokenTime(ms: number): string {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)} ms`;
  if (Math.abs(ms) < 600_000) return `${Number((ms / 1000).toFixed(2))} s`;
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `${ms < 0 ? '-' : ''}${hours > 0 ? `${hours} h` : ''}${hours > 0 && rest > 0 ? ' ' : ''}${rest > 0 ? `${rest} min` : ''}`;
}

/** 4512 → '4,512' */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export interface Findings {
  readonly observed: Observed;
  readonly limit: Observed;
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** Below this a value says too little, and what to change has to go instead. */
const LEAST_VALUE_BYTES = 32;

/**
 * `[code TYPE] what was observed, the bound. What to change.` Where that is too long to be shown whole, long values are cut;
 * `observed` and `limit` of the record have them whole.
 */
export function description(entry: CatalogueEntry, findings: Findings, remediation: string): string {
  const label = `[${entry.code} ${entry.type}]`;
  const tail = remediation === '' ? '' : ` ${remediation}`;
  const room = SHOWN_BYTES - byteLength(label) - 1;
  return `${label} ${fittingSentence(entry, findings, room, byteLength(tail))}${tail}`;
}

/** The sentence with its values, beside `behindBytes` if possible. */
function fittingSentence(entry: CatalogueEntry, findings: Findings, room: number, behindBytes: number): string {
  const values: Record<string, string> = {
    ...findings.placeholders,
    observed: spoken(findings.observed, entry.unit),
    limit: spoken(findings.limit, entry.unit),
  };
  let used = 0;
  const say = (mostBytes: number): string => {
    used = 0;
    return entry.sentence.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      used++;
      return itemsWithin(values[name] ?? '', mostBytes);
    });
  };
  const whole = say(Number.POSITIVE_INFINITY);
  if (used === 0 || byteLength(whole) + behindBytes <= room) return whole;
  const forValues = room - byteLength(say(0));
  const beside = Math.floor((forValues - behindBytes) / used);
  if (beside >= LEAST_VALUE_BYTES) return say(beside);
  return byteLength(whole) <= room ? whole : say(Math.floor(forValues / used));
}
