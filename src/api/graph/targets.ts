/** The objects, and the edge of them, that a call's path and `ids` name. */

import { isObject } from '../../lib/objects.js';
import { API_LIMITS } from '../context/limits.js';
import { toList } from '../params/kinds.js';
import type { RawParams } from '../params/raw.js';
import type { Registry } from './registry.js';

export interface Targets {
  /** Ids, usernames and `me`, as given in the request. */
  readonly names: readonly string[];
  /** `null`: the objects themselves. */
  readonly edge: string | null;
}

export function targetsOf(graph: Registry, segments: readonly string[], params: RawParams): Targets {
  const [name, edge = null] = segments;
  const isMany = params.ids !== undefined && (name === undefined || (edge === null && graph.isEdgeName(name)));
  if (isMany) return { names: idsOf(params.ids), edge: name ?? null };
  return { names: name === undefined || graph.isRootName(name) ? [] : [name], edge };
}

/** Truncated to the limit, without what cannot name an object; the call itself refuses both. */
function idsOf(value: unknown): string[] {
  const list = toList(value);
  return Array.isArray(list)
    ? list.slice(0, API_LIMITS.ids).flatMap((each) => (isObject(each) ? [] : [String(each)]))
    : [];
}
