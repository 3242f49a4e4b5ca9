/** The texts of a record: plain complete sentences, of which the first 255 bytes stand alone (encoders show no more). */
import type { Observed } from '../spec/error-record.js';
import type { CatalogueEntry, Unit } from '../spec/errors.js';

/** What every client shows whole: ffmpeg cuts a description here. */
export const SHOWN_BYTES = 255;

/** A value as it is kept: no more digits than were measured. */
export function rounded(value: Observed, unit: Unit): Observed {
  if (typeof value !== 'number') return value;
  if (unit === 'ratio') return Number(value.toFixed(3));
  if (unit === 'fps' || unit === '%' || unit === 'key frames/s') return Number(value.toFixed(2));
  return Math.round(value);
}

/** A value as it is said. */
export function spoken(value: Observed, unit: Unit): string {
  if (typeof value !== 'number') return String(value);
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
  readonly words?: Readonly<Record<string, string>>;
}

/** `[code TYPE] what was observed, the bound. What to change.` */
export function description(entry: CatalogueEntry, findings: Findings, remediation: string): string {
  const words: Record<string, string> = {
    ...findings.words,
    observed: spoken(findings.observed, entry.unit),
    limit: spoken(findings.limit, entry.unit),
  };
  const sentence = entry.sentence.replace(/\{(\w+)\}/g, (_whole, name: string) => words[name] ?? '');
  const label = `[${entry.code} ${entry.type}]`;
  const head = `${label} ${trimmed(sentence, SHOWN_BYTES - label.length - 1)}`;
  return remediation === '' ? head : `${head} ${remediation}`;
}

/** The first sentences of a text that fit; what a client shows that has room for no more. */
export function firstSentences(text: string, maxBytes = SHOWN_BYTES): string {
  if (byteLength(text) <= maxBytes) return text;
  let end = 0;
  for (const match of text.matchAll(/[.!?](?= |$)/g)) {
    const stop = match.index + 1;
    if (byteLength(text.slice(0, stop)) > maxBytes) break;
    end = stop;
  }
  return end > 0 ? text.slice(0, end) : trimmed(text, maxBytes);
}

/** Cut at a word, with a full stop: only for values of absurd length, which come from the wire. */
function trimmed(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  let short = text.slice(0, maxBytes - 4);
  while (byteLength(short) > maxBytes - 4) short = short.slice(0, -1);
  return `${short.trimEnd()}...`;
}

const ENCODER = new TextEncoder();

export function byteLength(text: string): number {
  return ENCODER.encode(text).length;
}
