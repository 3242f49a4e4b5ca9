/** Text for a terminal: untrusted text with control characters escaped, and stream times. */

/** Characters that move the cursor, color the text or reverse its direction. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A one-line text with all control characters escaped. */
export function visible(text: string): string {
  return text.replace(CONTROLS, escapeSequence);
}

/** A multi-line text with all control characters but line feeds escaped. */
export function visibleLines(text: string): string {
  return text.replace(CONTROLS, (char) => (char === '\n' ? char : escapeSequence(char)));
}

function escapeSequence(char: string): string {
  if (char === '\n') return '\\n';
  const code = char.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** `0:00:04.050` */
export function streamTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(whole / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(whole % 1000).padStart(3, '0')}`;
}
