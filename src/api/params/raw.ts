/** Untyped parameters of a request: query, form or JSON, merged, with `a[b][0]=c` expanded. */

import { isObject, isRecord } from '../../lib/objects.js';
import { parameterError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';

/** Without a prototype, so that any parameter name is safe. */
export type RawParams = Record<string, unknown>;

export function noParams(): RawParams {
  return Object.create(null) as RawParams;
}

/**
 * Reads `a=1&b[0]=x&b[1]=y` into `into`; a later value replaces an earlier one.
 * @throws ServiceError 100 for more parameters or deeper brackets than the limits allow, and for bytes that are not UTF-8
 */
export function readQuery(text: string, into: RawParams): RawParams {
  if (text === '') return into;
  let count = 0;
  let isReplaced = false;
  for (const [key, value] of new URLSearchParams(text)) {
    count += 1;
    if (count > API_LIMITS.parameters)
      throw parameterError(`A request takes at most ${API_LIMITS.parameters} parameters`);
    setParameter(into, key, value);
    isReplaced ||= value.includes(REPLACEMENT) || key.includes(REPLACEMENT);
  }
  if (isReplaced) requireUtf8(text);
  return into;
}

/** Replacement character that decoding puts in place of bytes that are not UTF-8; clients may also send it. */
const REPLACEMENT = '\ufffd';
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/** A percent sign that is not part of an escape is text, as in other servers. @throws ServiceError 100 */
function requireUtf8(text: string): void {
  for (const pair of text.split('&')) {
    try {
      pair.replaceAll(ESCAPES, (escapes) => decodeURIComponent(escapes));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      throw parameterError(`Param ${pair.split('=', 1)[0]?.slice(0, 100)} must be UTF-8, percent-encoded`);
    }
  }
}

/** Sets one parameter; brackets in its name create nested objects. `a[]=x` appends. */
export function setParameter(into: RawParams, key: string, value: unknown): void {
  const open = key.indexOf('[');
  if (open <= 0 || !key.endsWith(']')) {
    into[key] = value;
    return;
  }
  const path = [key.slice(0, open), ...key.slice(open + 1, -1).split('][')];
  if (path.length > API_LIMITS.bracketDepth) {
    throw parameterError(`Param ${path[0]} must be nested at most ${API_LIMITS.bracketDepth - 1} deep`);
  }
  let at = into;
  for (const name of path.slice(0, -1)) {
    const next = at[name];
    if (isRecord(next)) {
      at = next;
    } else {
      const made = noParams();
      at[name] = made;
      at = made;
    }
  }
  const last = path[path.length - 1] ?? '';
  at[last === '' ? String(Object.keys(at).length) : last] = value;
}

/** Parses JSON after a look at its text. @throws ServiceError 100 for more values or deeper nesting than the limits allow */
export function parseJson(text: string): unknown {
  const { jsonDepth, jsonValues } = API_LIMITS;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') values += 1;
    else if (character === '[' || character === '{') {
      depth += 1;
      values += 1;
    }
    if (depth > jsonDepth) throw parameterError(`JSON must be nested at most ${jsonDepth} deep`);
    if (values > jsonValues) throw parameterError(`JSON may have at most ${jsonValues} values`);
  }
  return JSON.parse(text);
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** Merges `from` into `into`; values of `from` win. */
export function mergeParams(into: RawParams, from: object): RawParams {
  for (const [key, value] of Object.entries(from)) into[key] = value;
  return into;
}

/** A scalar parameter as a string (`access_token`, `method` …). @throws ServiceError 100 for an object or a list */
export function textParam(params: RawParams, name: string): string | undefined {
  const value = params[name];
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isObject(value)) throw parameterError(`Param ${name} must be a string`);
  return undefined;
}
