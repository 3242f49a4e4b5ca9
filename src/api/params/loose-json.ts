/**
 * JSON as people write it in URLs: unquoted keys, single quotes and trailing commas beside the strict form. Public
 * samples of the Graph conventions hold both `[{page_id:123,allow:true}]` and `['a','b']`.
 */

const MAX_DEPTH = 16;
const WORD = /[A-Za-z0-9_$.+-]+/y;
const SPACE = /\s*/y;
/** Digits can be read in one way only: with two, a long word that is no number takes time with the square of its length. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `undefined`: the text is neither strict nor loose JSON. Objects have no prototype. Long integers stay text. */
export function parseLooseJson(text: string): unknown {
  try {
    const reader = new LooseReader(text);
    const value = reader.value(0);
    return reader.atEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof LooseSyntaxError) return undefined;
    throw error;
  }
}

class LooseSyntaxError extends Error {
  override readonly name = 'LooseSyntaxError';
}

class LooseReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new LooseSyntaxError();
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"' || first === "'") return this.#string(first);
    return literal(this.#word());
  }

  #object(depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    this.#at += 1;
    while (!this.#take('}')) {
      const quote = this.#text[this.#at];
      const key = quote === '"' || quote === "'" ? this.#string(quote) : this.#word();
      if (!this.#take(':')) throw new LooseSyntaxError();
      object[key] = this.value(depth + 1);
      if (!this.#take(',') && !this.#peek('}')) throw new LooseSyntaxError();
      this.#skipSpace();
    }
    return object;
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.#at += 1;
    while (!this.#take(']')) {
      array.push(this.value(depth + 1));
      if (!this.#take(',') && !this.#peek(']')) throw new LooseSyntaxError();
    }
    return array;
  }

  #string(quote: string): string {
    let out = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text.charAt(this.#at);
      if (char === quote) {
        this.#at += 1;
        return out;
      }
      out += char === '\\' ? this.#escape() : char;
    }
    throw new LooseSyntaxError();
  }

  /** Leaves the position on the last character of the escape. */
  #escape(): string {
    this.#at += 1;
    const char = this.#text.charAt(this.#at);
    if (char === 'u') {
      const digits = this.#text.slice(this.#at + 1, this.#at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new LooseSyntaxError();
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[char] ?? char;
  }

  #word(): string {
    WORD.lastIndex = this.#at;
    const match = WORD.exec(this.#text);
    if (!match) throw new LooseSyntaxError();
    this.#at = WORD.lastIndex;
    return match[0];
  }

  #peek(char: string): boolean {
    this.#skipSpace();
    return this.#text[this.#at] === char;
  }

  #take(char: string): boolean {
    if (!this.#peek(char)) return false;
    this.#at += 1;
    this.#skipSpace();
    return true;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }
}

function literal(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  if (NUMBER.test(word)) {
    const number = Number(word);
    // Ids have up to 64 bits: as numbers they would lose digits.
    return /^-?\d+$/.test(word) && !Number.isSafeInteger(number) ? word : number;
  }
  return word;
}
