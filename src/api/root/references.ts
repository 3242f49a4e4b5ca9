/**
 * Expands `{result=name:$.path}` in a batched call to results of an earlier call. A short reference may expand to a
 * large result, so the expanded length is bounded.
 */
import { isObject } from '../../lib/objects.js';
import { parameterError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';

const STEP = /\.([A-Za-z0-9_-]+)|\.(\*)|\[(\d+)\]|\[(\*)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** The matches of the path, in order; `undefined` for an invalid path. */
export function jsonPath(path: string, value: unknown): readonly unknown[] | undefined {
  if (!path.startsWith('$') || path.length > 500) return undefined;
  let found: readonly unknown[] = [value];
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null) return undefined;
    at = STEP.lastIndex;
    const [, name, star, index, starred, single, double] = match;
    found =
      star !== undefined || starred !== undefined
        ? found.flatMap(children)
        : found.flatMap((each) => child(each, name ?? index ?? single ?? double ?? ''));
  }
  return found;
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function child(value: unknown, name: string): readonly unknown[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return [];
  return [(value as Record<string, unknown>)[name]];
}

const REFERENCE = /\{result=([^:{}]+):(\$[^{}]*)\}/g;
/** Invalid UTF-16, for which `encodeURIComponent` throws. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** @throws ServiceError 100 for more references than the limit */
export function referencedNames(value: string): string[] {
  const names: string[] = [];
  for (const [, name = ''] of value.matchAll(REFERENCE)) {
    names.push(name);
    if (names.length > API_LIMITS.batchReferences)
      throw parameterError(`A batched call may have at most ${API_LIMITS.batchReferences} references to results`);
  }
  return names;
}

/**
 * @param resultOf returns the parsed response of the named call
 * @throws ServiceError 100 for an invalid path, or if the expanded text exceeds the body limit
 */
export async function fillReferences(value: string, resultOf: (name: string) => Promise<unknown>): Promise<string> {
  let filled = '';
  let from = 0;
  for (const match of value.matchAll(REFERENCE)) {
    const [whole, name = '', path = ''] = match;
    const found = jsonPath(path, await resultOf(name));
    if (found === undefined) throw parameterError(`Invalid JSONPath ${path}`);
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

/** Encodes for a query; keeps commas, so that a list stays a list. */
function encoded(text: string): string {
  if (text.length > API_LIMITS.bodyBytes) throw tooLong();
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\ufffd')).replaceAll('%2C', ',');
}

function tooLong() {
  return parameterError(`A batched call must be at most ${API_LIMITS.bodyBytes} bytes long, results included`);
}
