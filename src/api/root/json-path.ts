/** The subset of JSONPath used by batch references: `$.data.*.id`, `$.data[0]`, `$.data[*].id`, `$['a b']`. */
import { isObject } from '../../lib/objects.js';

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
