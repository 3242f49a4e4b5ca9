/** Which objects a call asks about, and which edge of them, as its path and `ids` say. */

import { API_LIMITS } from '../context/limits.js';
import { toList } from '../params/kinds.js';
import type { RawParams } from '../params/raw.js';
import type { Registry } from './registry.js';

export interface Targets {
  /** Ids, names and `me`, as they came. */
  readonly names: readonly string[];
  /** `null`: the objects themselves. */
  readonly edge: string | null;
}

export function targetsOf(graph: Registry, segments: readonly string[], params: RawParams): Targets {
  const [name, edge = null] = segments;
  const isMany = params.ids !== undefined && (name === undefined || (edge === null && graph.isEdgeName(name)));
  if (isMany) return { names: idsOf(params.ids), edge: name ?? null };
  return { names: name === undefined || graph.isFixedWord(name) ? [] : [name], edge };
}

/** More than these are refused by the call itself. */
function idsOf(value: unknown): string[] {
  const list = toList(value);
  return Array.isArray(list) ? list.slice(0, API_LIMITS.ids).map(String) : [];
}
