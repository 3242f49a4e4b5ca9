/** Tables for a terminal: columns as wide as needed, the widest ones wrapped so that a row fits the line. */

const GAP = 2;

export function textTable(head: readonly string[], rows: readonly (readonly string[])[], lineWidth = 120): string {
  const columns = head.map((title, at) => [title, ...rows.map((row) => row[at] ?? '')]);
  const widths = columnWidths(columns, lineWidth);
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].flatMap((row) => wrapRow(row, widths)).join('\n');
}

/** Takes from the widest column that can be wrapped further, until the row fits. */
function columnWidths(columns: readonly (readonly string[])[], lineWidth: number): number[] {
  const widths = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  const least = columns.map((cells) =>
    Math.max(...cells.flatMap((cell) => cell.split(' ')).map((word) => word.length)),
  );
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
  while (total() > lineWidth) {
    const slack = widths.map((width, at) => (width > (least[at] ?? 0) ? width : 0));
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
      .map((lines, at) => (lines[line] ?? '').padEnd(widths[at] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** Breaks at blanks, and keeps those at the beginning; a word that is too long stays whole. */
export function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.slice(indent.length).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - indent.length) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, indent + line];
}
