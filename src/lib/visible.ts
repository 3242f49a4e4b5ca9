/** Untrusted text for terminals, log lines and titles: characters that act on what shows them are written as escapes. */

/** Control characters move the cursor or color the text, separators break lines, bidirectional controls reorder what is read. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A one-line text with all control characters escaped. */
export function visible(text: string): string {
  return text.replace(CONTROLS, escapeSequence);
}

/** A multi-line text with all control characters but line feeds escaped. */
export function visibleLines(text: string): string {
  return text.replace(CONTROLS, (char) => (char === '\n' ? char : escapeSequence(char)));
}

/** JSON with the same value: `JSON.stringify` leaves DEL, C1 controls and bidirectional controls as they are. */
export function visibleJson(json: string): string {
  return json.replace(CONTROLS, (char) => (char === '\n' ? char : `\\u${hex(char, 4)}`));
}

function escapeSequence(char: string): string {
  if (char === '\n') return '\\n';
  return char < '\u0100' ? `\\x${hex(char, 2)}` : `\\u${hex(char, 4)}`;
}

function hex(char: string, digits: number): string {
  return char.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Text in HTML, between tags and in quoted attributes. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
