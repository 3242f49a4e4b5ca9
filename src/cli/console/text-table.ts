/** Tables for a terminal: columns as wide as needed, the widest ones wrapped so that rows fit the line. */
import { visible } from '../../lib/visible.js';

/** The width of output that is no terminal. */
export const UNWRAPPED = Number.POSITIVE_INFINITY;

const GAP = 2;
/** Indent of the lines of a sentence after its first. */
const HANGING = 4;
/** Minimum column width when the longest words do not fit the line in any case. */
const READABLE_COLUMNS = 32;
/** Characters two terminal columns wide: East Asian scripts, their full-width forms, and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;

/** Width of a text in terminal columns. */
export function shownWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...new Intl.Segmenter().segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

export function textTable(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  lineWidth = UNWRAPPED,
): string {
  const rows = cells.map((row) => row.map(visible));
  const columns = head.map((title, at) => [title, ...rows.map((row) => row[at] ?? '')]);
  const widths = columnWidths(columns, lineWidth);
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].flatMap((row) => wrapRow(row, widths)).join('\n');
}

/** Narrows the widest column that can be wrapped further until the row fits. */
function columnWidths(columns: readonly (readonly string[])[], lineWidth: number): number[] {
  const widths = columns.map((cells) => Math.max(...cells.map(shownWidth)));
  const total = (of: readonly number[]) => of.reduce((sum, width) => sum + width, GAP * (of.length - 1));
  const longestWords = columns.map((cells) => Math.max(...cells.flatMap((cell) => cell.split(' ')).map(shownWidth)));
  const cannotFit = total(longestWords) > lineWidth;
  const minimum = longestWords.map((word, at) =>
    cannotFit ? Math.max(word, Math.min(widths[at] ?? 0, READABLE_COLUMNS)) : word,
  );
  while (total(widths) > lineWidth) {
    const slack = widths.map((width, at) => (width > (minimum[at] ?? 0) ? width : 0));
    const widest = Math.max(...slack);
    if (widest === 0) break;
    widths[slack.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function wrapRow(row: readonly string[], widths: readonly number[]): string[] {
  const cells = widths.map((width, at) => wrap(row[at] ?? '', width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_none, line) =>
    cells
      .map((lines, at) => padded(lines[line] ?? '', widths[at] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - shownWidth(text)));
}

/** Breaks at spaces and keeps the indent; never splits a word. */
export function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.slice(indent.length).split(' ')) {
    if (line !== '' && shownWidth(line) + 1 + shownWidth(word) > width - indent.length) {
      lines.push(indent + line.trimEnd());
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, indent + line];
}

/** Wraps a sentence; the lines after the first are indented, below its own indent. */
export function hanging(text: string, columns: number): string[] {
  const [first = '', ...rest] = wrap(text, columns);
  const others = rest.map((line) => line.trim()).join(' ');
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + HANGING;
  return others === '' ? [first] : [first, ...wrap(`${' '.repeat(indent)}${others}`, columns)];
}

/** `0:00:04.050`: hours, minutes, seconds of a stream. */
export function streamTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(whole / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(whole % 1000).padStart(3, '0')}`;
}
