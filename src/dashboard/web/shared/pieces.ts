/** Splits a text into command-line options, such as `-ac 2`, and the text between them. */

/** Matches text that can only be a value: a quoted text, a number, `name=value`; a word follows some options only. */
const VALUE = String.raw`"[^"]*"|\d[\w:]*(?:\.\d+)?|[\w-]+=[\w:=-]*\w|(?<=-(?:[cf]|c:[av]|profile:a|pix_fmt|nal-hrd) )\w+`;
const OPTION = new RegExp(String.raw`(^|[\s(])(-{1,2}[a-z][\w:-]*(?: (?:${VALUE}))?)`, 'gi');

export interface Piece {
  /** Offset in the text. */
  readonly at: number;
  readonly text: string;
  readonly isOption: boolean;
}

/** The pieces in order; joined, they are `text`. */
export function pieces(text: string): readonly Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(OPTION)) {
    const [, before = '', option = ''] = match;
    const at = match.index + before.length;
    if (at > end) found.push({ at: end, text: text.slice(end, at), isOption: false });
    found.push({ at, text: option, isOption: true });
    end = at + option.length;
  }
  if (end < text.length) found.push({ at: end, text: text.slice(end), isOption: false });
  return found;
}
