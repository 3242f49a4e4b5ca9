/**
 * SubRip captions (.srt). There is no standard; this accepts what common programs write. Encodings: UTF-8 with or without a
 * byte order mark, UTF-16 with one; invalid UTF-8 is read as Windows-1252. Lines end in CR LF, LF or CR. Cue numbers may be
 * missing or wrong, hours may be missing, the fraction may follow a comma or a period.
 * Refuses (WireError SUBRIP_*) text without cues, invalid times, and a cue that ends before it begins.
 */
import { WireError } from '../../bytes/wire-error.js';

export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** Lines joined by LF, with the markup as written. */
  readonly text: string;
}

const CLAUSE = 'SubRip';
/** More than a day of captions. */
const CUES_MAX = 20_000;
const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[,.](\d{1,6}))?`;
const TIMES = new RegExp(String.raw`^\s*${TIME}\s*--?>\s*${TIME}(?:\s.*)?$`);

/** @throws WireError */
export function parseSubRip(bytes: Uint8Array): Cue[] {
  const lines = decodeText(bytes).split(/\r\n|\n|\r/);
  const cues: Cue[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!line.includes('->')) {
      if (cues.length === 0 && line.trim() !== '' && !/^\s*\d+\s*$/.test(line)) {
        throw new WireError('SUBRIP_START', `line ${at + 1}: expected a cue number or times`, CLAUSE);
      }
      continue;
    }
    const end = endOfCue(lines, at + 1);
    cues.push(cueOf(line, lines.slice(at + 1, end), at + 1, end < lines.length));
    if (cues.length > CUES_MAX) throw new WireError('SUBRIP_CUES', `more than ${CUES_MAX} cues`, CLAUSE);
    at = end - 1;
  }
  if (cues.length === 0) throw new WireError('SUBRIP_EMPTY', 'no cues found', CLAUSE);
  return cues;
}

/** Looks like a line of times, valid or not. */
const LIKE_TIMES = /^\s*\d[\d:.,]*\s*--?>/;

/** The text ends before the next line of times, without that cue's number and the empty lines before it. */
function endOfCue(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at++) if (LIKE_TIMES.test(lines[at] ?? '')) return at;
  return lines.length;
}

function cueOf(times: string, following: readonly string[], lineNumber: number, hasNext: boolean): Cue {
  const match = TIMES.exec(times);
  if (match === null) throw new WireError('SUBRIP_TIME', `line ${lineNumber}: invalid times`, CLAUSE);
  const [startMs, endMs] = [millis(match.slice(1, 5)), millis(match.slice(5, 9))];
  if (endMs < startMs) throw new WireError('SUBRIP_ORDER', `line ${lineNumber}: the cue ends before it begins`, CLAUSE);
  return { startMs, endMs, text: textOf(following, hasNext) };
}

function textOf(lines: readonly string[], hasNext: boolean): string {
  const kept = lines.slice(0, lengthWithoutEmpty(lines));
  // The last line is the next cue's number if it follows an empty line or is the only one.
  const isNumber = hasNext && /^\s*\d+\s*$/.test(kept.at(-1) ?? '');
  if (isNumber && (kept.length === 1 || kept.at(-2)?.trim() === '')) kept.pop();
  return kept.filter((line) => line.trim() !== '').join('\n');
}

function lengthWithoutEmpty(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== '') + 1;
}

function millis([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly (string | undefined)[]): number {
  const whole = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
  return whole + Math.floor(Number(`0.${fraction}`) * 1000);
}

function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16BigEndian(bytes);
  try {
    // TextDecoder removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function utf16BigEndian(bytes: Uint8Array): string {
  const swapped = new Uint8Array(bytes.length & ~1);
  for (let at = 0; at < swapped.length; at += 2) {
    swapped[at] = bytes[at + 1] ?? 0;
    swapped[at + 1] = bytes[at] ?? 0;
  }
  return new TextDecoder('utf-16le').decode(swapped);
}

/** Captions as WebVTT (W3C, 4.1), the format that browsers support. */
export function webVtt(cues: readonly Cue[]): string {
  const blocks = cues
    .filter((cue) => cue.text !== '')
    .map((cue) => `${time(cue.startMs)} --> ${time(cue.endMs)}\n${escaped(cue.text)}\n`);
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

function time(ms: number): string {
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => part(value, 2));
  return `${clock.join(':')}.${part(ms % 1000, 3)}`;
}

const KEPT_TAG = /&lt;(\/?[biu])&gt;/gi;

/** Keeps the three tags common to both formats (b, i, u); removes SubRip's positions and fonts. */
function escaped(text: string): string {
  return (
    text
      .replace(/\{\\an?\d+\}/g, '')
      // Excludes `<`: otherwise each unterminated tag is scanned to the end of the text, which is quadratic.
      .replace(/<\/?font[^<>]*>/gi, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(KEPT_TAG, (_whole, tag: string) => `<${tag.toLowerCase()}>`)
  );
}
