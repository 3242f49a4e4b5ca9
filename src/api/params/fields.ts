/**
 * Parser of the `fields` syntax: `id,title,comments.limit(2).order(chronological).as(latest){from{name},message}`.
 * Bounded in length, depth and number of fields, since a short text can request a lot of data.
 */

import { copied } from '../../lib/text.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { Scanner } from './scanner.js';

export interface Selection {
  readonly name: string;
  /** The key in the response. */
  readonly alias: string;
  /** `.limit(2)` → limit: '2'; without arguments: ''. */
  readonly modifiers: Readonly<Record<string, string>>;
  /** `undefined`: no braces, so the default fields. */
  readonly children: readonly Selection[] | undefined;
  /** The text between the braces, for the `next` links of a nested edge. */
  readonly childText: string | undefined;
}

const NAME = /[A-Za-z0-9_]+/y;
const ARGUMENTS = /[^()]*/y;

const cache = new Map<string, readonly Selection[]>();
const CACHE_SIZE = 500;

/**
 * @param fields text, a JSON array of texts, or an array; empty or absent means the default set (`undefined`)
 * @throws ServiceError 2500 with the position of the syntax error; 100 for anything but text
 */
export function parseFields(fields: unknown): readonly Selection[] | undefined {
  const text = fieldsText(fields);
  if (text === '') return undefined;
  const known = cache.get(text);
  if (known) return known;
  const own = copied(text);
  const parsed = new FieldsReader(own).all();
  if (cache.size >= CACHE_SIZE) cache.clear();
  if (mayBeKept(own)) cache.set(own, parsed);
  return parsed.length === 0 ? undefined : parsed;
}

/** No field has so long a name, but tokens and stream keys have: one that was pasted there does not stay in a cache. */
export function mayBeKept(fields: string): boolean {
  return !/[\w-]{34}/.test(fields);
}

function fieldsText(fields: unknown): string {
  if (fields === undefined || fields === null) return '';
  if (Array.isArray(fields) && fields.every((each) => typeof each === 'string')) return fields.join(',');
  if (typeof fields !== 'string') throw parameterError('Param fields must be a list of fields');
  const trimmed = fields.trim();
  if (!trimmed.startsWith('[')) return trimmed;
  let listed: unknown;
  try {
    listed = JSON.parse(trimmed);
  } catch (error) {
    throw syntaxError('Expected a list of fields', 0, trimmed, error);
  }
  return fieldsText(listed);
}

function syntaxError(problem: string, at: number, text: string, cause?: unknown): ServiceError {
  return new ServiceError(
    {
      code: 2500,
      type: 'OAuthException',
      status: 400,
      message: `Syntax error "${problem}" at character ${at}: ${text.slice(Math.max(0, at - 20), at + 20)}`,
      isTransient: false,
    },
    { cause },
  );
}

class FieldsReader extends Scanner {
  #count = 0;

  constructor(text: string) {
    if (text.length > API_LIMITS.fieldsLength) throw syntaxError('Too long', API_LIMITS.fieldsLength, text);
    super(text);
  }

  all(): readonly Selection[] {
    const selections = this.#list(0);
    if (!this.isAtEnd) throw this.#fault('Expected end of string');
    return selections;
  }

  #list(depth: number): readonly Selection[] {
    if (depth > API_LIMITS.fieldsDepth) throw this.#fault('Nested too deep');
    const selections: Selection[] = [];
    for (;;) {
      while (this.take(','));
      if (this.isAtEnd || this.peek('}')) return selections;
      selections.push(this.#item(depth));
      if (!this.take(',') && !this.isAtEnd && !this.peek('}')) {
        throw this.#fault('Expected end of string or one of ",.{}"');
      }
    }
  }

  #item(depth: number): Selection {
    this.#count += 1;
    if (this.#count > API_LIMITS.fieldsCount) throw this.#fault('Too many fields');
    const name = this.#name();
    const modifiers: Record<string, string> = Object.create(null);
    let children: readonly Selection[] | undefined;
    let childText: string | undefined;
    for (;;) {
      if (this.take('.')) {
        const modifier = this.#name();
        if (!this.take('(')) throw this.#fault('Expected "("');
        modifiers[modifier] = (this.match(ARGUMENTS) ?? '').trim();
        if (!this.take(')')) throw this.#fault('Expected ")"');
      } else if (children === undefined && this.take('{')) {
        const start = this.at;
        children = this.#list(depth + 1);
        childText = this.text.slice(start, this.at);
        if (!this.take('}')) throw this.#fault('Expected "}"');
      } else {
        break;
      }
    }
    const alias = modifiers.as || name;
    delete modifiers.as;
    if (children === undefined && modifiers.fields !== undefined) {
      childText = modifiers.fields;
      children = this.#listIn(childText);
    }
    delete modifiers.fields;
    return { name, alias, modifiers, children: children?.length === 0 ? undefined : children, childText };
  }

  /** `.fields(a,b)`: the older form of braces, still sent by clients. */
  #listIn(text: string): readonly Selection[] {
    const inner = new FieldsReader(text);
    const selections = inner.all();
    this.#count += inner.#count;
    if (this.#count > API_LIMITS.fieldsCount) throw this.#fault('Too many fields');
    return selections;
  }

  #name(): string {
    this.skipSpace();
    const name = this.match(NAME);
    if (name === undefined) throw this.#fault('Expected a field name');
    return name;
  }

  #fault(problem: string): ServiceError {
    return syntaxError(problem, this.at, this.text);
  }
}
