/** Reads a text from left to right. White space between tokens is skipped. */
const SPACE = /\s*/y;

export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The match of a sticky pattern here, which is taken; undefined if there is none. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.at = pattern.lastIndex;
    return match[0];
  }

  skipSpace(): void {
    this.match(SPACE);
  }

  /** Whether this character is next. */
  peek(char: string): boolean {
    this.skipSpace();
    return this.text[this.at] === char;
  }

  /** Takes this character if it is next. */
  take(char: string): boolean {
    if (!this.peek(char)) return false;
    this.at += 1;
    return true;
  }
}
