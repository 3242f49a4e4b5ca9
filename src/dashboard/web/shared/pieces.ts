/** Tells the options of a command line, `-ac 2`, from the words around them. */

const OPTION = /(^|[\s(])(-{1,2}[a-z][\w:-]*(?: \d+\w*)?)/gi;

export interface Piece {
  /** Where it begins in the whole text. */
  readonly at: number;
  readonly text: string;
  readonly isOption: boolean;
}

/** The whole text, in order. */
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
