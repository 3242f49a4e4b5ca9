/**
 * `{result=name:$.path}` in a call of a batch: what an earlier call answered, put in its place. One answer may be large and
 * a reference is short, so what they come to is bounded.
 */
import { parameterError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { jsonPath } from './json-path.js';

const REFERENCE = /\{result=([^:{}]+):(\$[^{}]*)\}/g;
/** In a text of UTF-16 that is no text: `encodeURIComponent` throws at it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** @throws ServiceError 100 with more references than a call may have */
export function referencedNames(value: string): string[] {
  const names: string[] = [];
  for (const [, name = ''] of value.matchAll(REFERENCE)) {
    names.push(name);
    if (names.length > API_LIMITS.batchReferences)
      throw parameterError(`A call of a batch takes at most ${API_LIMITS.batchReferences} references to results`);
  }
  return names;
}

/**
 * @param resultOf the parsed answer of the call of that name
 * @throws ServiceError 100 for a path that is none, and for a text that grows beyond any body
 */
export async function fillReferences(value: string, resultOf: (name: string) => Promise<unknown>): Promise<string> {
  let filled = '';
  let from = 0;
  for (const match of value.matchAll(REFERENCE)) {
    const [whole, name = '', path = ''] = match;
    const found = jsonPath(path, await resultOf(name));
    if (found === undefined) throw parameterError(`The path ${path} is not understood`);
    filled += value.slice(from, match.index) + encoded(textOf(found));
    from = match.index + whole.length;
    if (filled.length > API_LIMITS.bodyBytes) throw tooLong();
  }
  return filled + value.slice(from);
}

function textOf(found: readonly unknown[]): string {
  const flat = found.flatMap((each) => (Array.isArray(each) ? each : [each]));
  return flat.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each))).join(',');
}

/** As part of a query, in which a list stays one. */
function encoded(text: string): string {
  if (text.length > API_LIMITS.bodyBytes) throw tooLong();
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\ufffd')).replaceAll('%2C', ',');
}

function tooLong() {
  return parameterError(`A call of a batch is at most ${API_LIMITS.bodyBytes} bytes long, with the results in it`);
}
