/** Plans that follow from the edge and the fields of a call alone, computed once (docs/decisions/0026-one-path-of-a-read.md). */

import { copied } from '../../lib/text.js';
import type { GraphMethod } from '../../spec/graph.js';
import { mayBeKept } from '../params/fields.js';
import type { RawParams } from '../params/raw.js';
import type { Registry } from './registry.js';

export interface PlainCall {
  readonly method: GraphMethod;
  readonly segments: readonly string[];
  readonly params: RawParams;
}

/** Parameters of which only `fields` matters. */
const PLAIN: ReadonlySet<string> = new Set(['access_token', 'date_format', 'fields']);
const KNOWN_MAX = 500;

/** Most calls read one object, or the first page of an edge of it: a plan for them is kept by edge and fields. */
export class PlainCalls<Plan> {
  readonly #known = new WeakMap<Registry, Map<string, Plan>>();

  /** @throws whatever `compute` throws, which is not kept */
  plan(graph: Registry, { method, segments, params }: PlainCall, compute: () => Plan): Plan {
    const [name, edge = ''] = segments;
    const { fields = '' } = params;
    const isPlain = name !== undefined && !graph.isRootName(name) && typeof fields === 'string' && hasOnlyPlain(params);
    if (!isPlain) return compute();
    const known = this.#known.get(graph) ?? new Map<string, Plan>();
    // Both come from the URL: the length tells where one ends.
    const key = `${method} ${edge.length} ${edge} ${fields}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const plan = compute();
    if (!mayBeKept(key)) return plan;
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(copied(key), plan);
    this.#known.set(graph, known);
    return plan;
  }
}

function hasOnlyPlain(params: RawParams): boolean {
  for (const name in params) if (!PLAIN.has(name)) return false;
  return true;
}
