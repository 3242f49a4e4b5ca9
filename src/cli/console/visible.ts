/** Foreign text for a terminal: what would move its cursor, colour it or turn it round is spelled out. */

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name or a remark of one line. */
export function visible(text: string): string {
  return text.replace(CONTROLS, spelled);
}

/** A text of several lines. */
export function visibleLines(text: string): string {
  return text.replace(CONTROLS, (char) => (char === '\n' ? char : spelled(char)));
}

function spelled(char: string): string {
  if (char === '\n') return '\\n';
  const code = char.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
