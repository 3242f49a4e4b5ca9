/**
 * SubRip captions (.srt): there is no standard, so this takes what programs write and other programs read. Encodings: UTF-8
 * with or without a byte order mark, UTF-16 with one; what is no valid UTF-8 is read as Windows-1252. Lines end in CR LF,
 * LF or CR. Numbers of cues may be missing or wrong, hours may be missing, the fraction may follow a comma or a point.
 * Refuses (WireError SUBRIP_*): text without any cue, a cue whose times cannot be read, and one that ends before it begins.
 */
import { WireError } from '../../bytes/wire-error.js';

export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** Lines joined by LF, with the markup as written. */
  readonly text: string;
}

const CLAUSE = 'SubRip';
/** Nobody reads more in a day. */
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
        throw new WireError('SUBRIP_START', `line ${at + 1} is neither a number nor a pair of times`, CLAUSE);
      }
      continue;
    }
    const end = endOfCue(lines, at + 1);
    cues.push(cueOf(line, lines.slice(at + 1, end), at + 1, end < lines.length));
    if (cues.length > CUES_MAX) throw new WireError('SUBRIP_CUES', `more than ${CUES_MAX} cues`, CLAUSE);
    at = end - 1;
  }
  if (cues.length === 0) throw new WireError('SUBRIP_EMPTY', 'there is not a single cue', CLAUSE);
  return cues;
}

/** A line of times, whether they can be read or not. */
const LIKE_TIMES = /^\s*\d[\d:.,]*\s*--?>/;

/** The text goes up to the next pair of times, less its number and the empty lines before that. */
function endOfCue(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at++) if (LIKE_TIMES.test(lines[at] ?? '')) return at;
  return lines.length;
}

function cueOf(times: string, following: readonly string[], lineNumber: number, hasNext: boolean): Cue {
  const match = TIMES.exec(times);
  if (match === null) throw new WireError('SUBRIP_TIME', `line ${lineNumber} is no pair of times`, CLAUSE);
  const [startMs, endMs] = [millis(match.slice(1, 5)), millis(match.slice(5, 9))];
  if (endMs < startMs)
    throw new WireError('SUBRIP_ORDER', `the cue of line ${lineNumber} ends before it begins`, CLAUSE);
  return { startMs, endMs, text: textOf(following, hasNext) };
}

function textOf(lines: readonly string[], hasNext: boolean): string {
  const kept = lines.slice(0, lengthWithoutEmpty(lines));
  // The number of the next cue stands behind an empty line, or is all that is there.
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
    // Leaves out a byte order mark by itself.
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
