/** Joins the route table with the code behind each row. */
import type { z } from 'zod';
import type { NodeKind, StoredObject } from '../../ports/index.js';
import { GRAPH, type GraphMethod, type GraphNode, type RouteKey } from '../../spec/graph.js';
import type { Rule } from '../access/rules.js';
import { parseParams } from '../params/parse.js';
import type { RawParams } from '../params/raw.js';
import type { Answer, Call } from './call.js';
import type { Edge } from './edge.js';
import type { NodeType } from './node-type.js';

/** An operation on an object that the token may see and the route's rule allows. */
export interface Operation {
  readonly params: z.ZodObject;
  /** The parameter that one more path segment gives (`/permissions/{permission}`). */
  readonly segment?: string;
  readonly run: (call: Call, target: StoredObject, raw: RawParams) => Promise<Answer>;
}

export function operation<Data, S extends z.ZodObject>(
  params: S,
  run: (call: Call, target: StoredObject<Data>, params: z.output<S>) => Promise<Answer>,
  segment?: string,
): Operation {
  // The table of routes pairs each operation with the kind of object whose data it takes.
  return {
    params,
    ...(segment === undefined ? {} : { segment }),
    run: async (call, target, raw) => run(call, target as StoredObject<Data>, parseParams(params, raw)),
  };
}

/** Reads of a node itself are the same for all kinds. */
export const READ_NODE = 'read-node';

export type RouteHandler = Edge | Operation | typeof READ_NODE;

/** Who may call a route, and what it does. */
export type Route = readonly [rule: Rule, handler: RouteHandler];

export interface RouteEntry {
  readonly key: RouteKey;
  readonly method: GraphMethod;
  readonly node: GraphNode;
  readonly edge: string | null;
  readonly live: boolean;
  readonly rule: Rule;
  readonly handler: RouteHandler;
}

export function isEdge(handler: RouteHandler): handler is Edge {
  return typeof handler === 'object' && 'read' in handler;
}

/** Every kind of object that the routes name. */
export const GRAPH_NODES: readonly GraphNode[] = [
  ...new Set(GRAPH.map((route) => route.node).filter((node) => node !== null)),
];
const NODE_KINDS: ReadonlySet<string> = new Set(GRAPH_NODES);

/** Tokens, jobs and settings live in the same store; they are no part of the graph. */
export function isGraphNode(kind: NodeKind): kind is GraphNode & NodeKind {
  return NODE_KINDS.has(kind);
}

export class Registry {
  readonly #routes = new Map<string, RouteEntry>();
  readonly #types: Readonly<Record<GraphNode, NodeType>>;
  readonly #edgeNames = new Set<string>();
  readonly #liveEdges = new Set<string>();
  readonly #words = new Set<string>();

  constructor(types: Readonly<Record<GraphNode, NodeType>>, routes: Readonly<Partial<Record<RouteKey, Route>>>) {
    this.#types = types;
    for (const route of GRAPH) {
      const found = routes[route.key];
      if (route.node === null) {
        this.#words.add(route.path.split('/')[1] ?? '');
        continue;
      }
      const { key, method, node, edge } = route;
      const live = 'live' in route && route.live === true;
      if (edge !== null) this.#edgeNames.add(edge);
      if (live && edge !== null) this.#liveEdges.add(edge);
      if (found === undefined) continue;
      const [rule, handler] = found;
      this.#routes.set(`${method} ${node} ${edge ?? ''}`, { key, method, node, edge, live, rule, handler });
    }
  }

  route(method: GraphMethod, node: GraphNode, edge: string | null): RouteEntry | undefined {
    return this.#routes.get(`${method} ${node} ${edge ?? ''}`);
  }

  edge(node: GraphNode, name: string): { readonly rule: Rule; readonly edge: Edge } | undefined {
    const route = this.route('GET', node, name);
    return route && isEdge(route.handler) ? { rule: route.rule, edge: route.handler } : undefined;
  }

  edgesOf(node: GraphNode): readonly string[] {
    return GRAPH.flatMap((route) =>
      route.node === node && route.method === 'GET' && route.edge !== null && this.edge(node, route.edge)
        ? [route.edge]
        : [],
    );
  }

  nodeType(node: GraphNode): NodeType {
    return this.#types[node];
  }

  /** Of the rows of an edge. */
  rowType({ row }: Edge): NodeType {
    return typeof row === 'string' ? this.#types[row] : row;
  }

  isEdgeName(name: string): boolean {
    return this.#edgeNames.has(name);
  }

  /** Paths that begin so name no object. */
  isFixedWord(name: string): boolean {
    return this.#words.has(name);
  }

  /** An edge that only broadcasts have: unknown ids answer LIVE_VIDEO__NOT_EXIST there. */
  isLiveEdge(name: string): boolean {
    return this.#liveEdges.has(name);
  }
}
