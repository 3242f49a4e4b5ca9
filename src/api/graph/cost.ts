/**
 * Upper bound on the rows that a call reads: the product of the page limits along nested edges, computed before any
 * read. The type of a named object is not known yet, so the most expensive interpretation of a name counts.
 */
import type { GraphMethod } from '../../spec/graph.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { parseFields, type Selection } from '../params/fields.js';
import { mergeParams, noParams, type RawParams } from '../params/raw.js';
import type { Cost } from './budget.js';
import type { Edge } from './edge.js';
import type { NodeType } from './node-type.js';
import { parsePaging } from './paging.js';
import { PlainCalls } from './plain-calls.js';
import { GRAPH_NODES, type Registry } from './registry.js';
import { targetsOf } from './targets.js';

export interface CostOf {
  readonly method: GraphMethod;
  readonly segments: readonly string[];
  readonly params: RawParams;
  readonly nowMs: number;
}

const NOTHING: Cost = { rows: 0, path: [] };

/** @throws ServiceError 100 for edges nested too deeply */
export function costOf(graph: Registry, call: CostOf): Cost {
  return known.plan(graph, call, () => computedCost(graph, call));
}

const known = new PlainCalls<Cost>();

function computedCost(graph: Registry, { method, segments, params, nowMs }: CostOf): Cost {
  const { names, edge } = targetsOf(graph, segments, params);
  if (names.length === 0 || method === 'DELETE') return NOTHING;
  const selections = ifValid(() => parseFields(params.fields));
  if (method === 'POST' && selections === undefined) return NOTHING;
  const reader = new CostReader(graph, nowMs);
  // A POST returns fields of the one object that it created or changed.
  const one =
    edge === null || method === 'POST'
      ? reader.fields(reader.nodes, selections, [])
      : reader.edge(reader.nodes, edge, params, selections, []);
  const rows = names.length * (1 + one.rows);
  return { rows, path: one.path, values: rows * (selections === undefined ? DEFAULT_FIELDS : countOf(selections)) };
}

/** Default fields of a row, about. */
const DEFAULT_FIELDS = 8;

/** Fields at all levels. */
function countOf(selections: readonly Selection[]): number {
  return selections.reduce((sum, { children = [] }) => sum + 1 + countOf(children), 0);
}

class CostReader {
  readonly nodes: readonly NodeType[];
  readonly #graph: Registry;
  readonly #nowMs: number;

  constructor(graph: Registry, nowMs: number) {
    this.#graph = graph;
    this.#nowMs = nowMs;
    this.nodes = GRAPH_NODES.map((node) => graph.nodeType(node));
  }

  /** Cost of the fields of one object of any of these types. */
  fields(types: readonly NodeType[], selections: readonly Selection[] | undefined, above: readonly string[]): Cost {
    let rows = 0;
    let most = NOTHING;
    for (const selection of selections ?? []) {
      const cost = this.#selection(types, selection, above);
      rows += cost.rows;
      if (cost.rows > most.rows) most = cost;
    }
    return { rows, path: most.path };
  }

  edge(
    types: readonly NodeType[],
    name: string,
    raw: RawParams,
    selections: readonly Selection[] | undefined,
    above: readonly string[],
  ): Cost {
    const edges = this.#edges(types, name);
    if (edges.length === 0) return NOTHING;
    const path = [...above, name];
    if (path.length > API_LIMITS.edgesDepth) {
      throw parameterError(`Edges nest at most ${API_LIMITS.edgesDepth} deep - got ${path.join('.')}`);
    }
    const limit = ifValid(() => parsePaging(raw, this.#nowMs))?.limit ?? API_LIMITS.pageSizeDefault;
    const rows = edges.map((each) => this.#graph.rowType(each));
    const below = this.fields([...new Set(rows)], selections, path);
    const own = Math.max(1, ...edges.map((each) => each.cost?.(raw) ?? 0), limit);
    return { rows: own * (1 + below.rows), path: below.rows === 0 ? path : below.path };
  }

  #selection(types: readonly NodeType[], selection: Selection, above: readonly string[]): Cost {
    const { name, modifiers, children } = selection;
    const withoutField = types.filter((type) => !type.fields.has(name));
    const asEdge = this.edge(withoutField, name, mergeParams(noParams(), modifiers), children, above);
    if (withoutField.length === types.length || children === undefined) return asEdge;
    // A referenced object may itself have edges.
    const inner = this.fields(this.nodes, children, above);
    return inner.rows + 1 > asEdge.rows ? { rows: inner.rows + 1, path: inner.path } : asEdge;
  }

  #edges(types: readonly NodeType[], name: string): Edge[] {
    return types.flatMap(({ node }) => {
      const found = node === undefined ? undefined : this.#graph.edge(node, name);
      return found === undefined ? [] : [found.edge];
    });
  }
}

/** `undefined` for invalid input, which costs nothing: the call is refused before it reads. */
export function ifValid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
