/**
 * Lenient JSON, as written by hand in URLs: allows unquoted keys, single quotes and trailing commas. Public samples of
 * the Graph conventions contain both `[{page_id:123,allow:true}]` and `['a','b']`.
 */
import { Scanner } from './scanner.js';

const MAX_DEPTH = 16;
const WORD = /[A-Za-z0-9_$.+-]+/y;
/** Unambiguous in how digits match: otherwise a long non-number takes quadratic time. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `undefined` if the text is not even lenient JSON. Objects have no prototype. Unsafe integers stay strings. */
export function parseLooseJson(text: string): unknown {
  try {
    const reader = new LooseReader(text);
    const value = reader.value(0);
    return reader.isDone() ? value : undefined;
  } catch (error) {
    if (error instanceof LooseSyntaxError) return undefined;
    throw error;
  }
}

class LooseSyntaxError extends Error {
  override readonly name = 'LooseSyntaxError';
}

class LooseReader extends Scanner {
  isDone(): boolean {
    this.skipSpace();
    return this.isAtEnd;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new LooseSyntaxError();
    this.skipSpace();
    const first = this.text[this.at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"' || first === "'") return this.#string(first);
    return literal(this.#word());
  }

  #object(depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    this.at += 1;
    while (!this.take('}')) {
      const quote = this.text[this.at];
      const key = quote === '"' || quote === "'" ? this.#string(quote) : this.#word();
      if (!this.take(':')) throw new LooseSyntaxError();
      object[key] = this.value(depth + 1);
      if (!this.take(',') && !this.peek('}')) throw new LooseSyntaxError();
    }
    return object;
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.at += 1;
    while (!this.take(']')) {
      array.push(this.value(depth + 1));
      if (!this.take(',') && !this.peek(']')) throw new LooseSyntaxError();
    }
    return array;
  }

  #string(quote: string): string {
    let out = '';
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const char = this.text.charAt(this.at);
      if (char === quote) {
        this.at += 1;
        return out;
      }
      out += char === '\\' ? this.#escape() : char;
    }
    throw new LooseSyntaxError();
  }

  /** Leaves the position at the last character of the escape. */
  #escape(): string {
    this.at += 1;
    const char = this.text.charAt(this.at);
    if (char === 'u') {
      const digits = this.text.slice(this.at + 1, this.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new LooseSyntaxError();
      this.at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[char] ?? char;
  }

  #word(): string {
    const word = this.match(WORD);
    if (word === undefined) throw new LooseSyntaxError();
    return word;
  }
}

function literal(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  if (NUMBER.test(word)) {
    const number = Number(word);
    // Ids have up to 64 bits and would lose digits as numbers.
    return /^-?\d+$/.test(word) && !Number.isSafeInteger(number) ? word : number;
  }
  return word;
}
