/** Joins the route table with the handler of each route. */
import type { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { NodeKind, StoredObject } from '../../ports/index.js';
import { GRAPH, type GraphMethod, type GraphNode, type RouteKey } from '../../spec/graph.js';
import { OWNER_KINDS } from '../../spec/owner-kinds.js';
import type { Rule } from '../access/rules.js';
import { parseParams } from '../params/parse.js';
import type { RawParams } from '../params/raw.js';
import type { Answer, Call } from './call.js';
import type { Edge } from './edge.js';
import type { NodeType } from './node-type.js';

/** An operation on an object; runs after visibility and the route's rule were checked. */
export interface Operation {
  readonly params: z.ZodObject;
  /** The parameters supplied by extra path segments (`/permissions/{permission}`). */
  readonly segments?: readonly string[];
  /** Keys of a DELETE's answer beside `success`, each an ID that may be absent, with its description. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly run: (call: Call, target: StoredObject, raw: RawParams) => Promise<Answer>;
}

export function operation<Data, S extends z.ZodObject>(
  params: S,
  run: (call: Call, target: StoredObject<Data>, params: z.output<S>) => Promise<Answer>,
  { segments, answers }: Pick<Operation, 'segments' | 'answers'> = {},
): Operation {
  // The route table pairs each operation with the kind of object whose data it takes.
  return {
    params,
    ...defined({ segments, answers }),
    run: async (call, target, raw) => run(call, target as StoredObject<Data>, parseParams(params, raw)),
  };
}

/** Handler of reads of a node, the same for all kinds. */
export const READ_NODE = 'read-node';

export type RouteHandler = Edge | Operation | typeof READ_NODE;

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

/** Every kind of node in the routes. */
export const GRAPH_NODES: readonly GraphNode[] = [
  ...new Set(GRAPH.map((route) => route.node).filter((node) => node !== null)),
];
/** Documented type of a reference to an owner of any kind. */
const PROFILE = 'Profile';
const NODE_KINDS: ReadonlySet<string> = new Set(GRAPH_NODES);

/** Tokens, jobs and settings are in the same store but are not graph nodes. */
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

  /** Types that a reference of this documented type can be rendered as; none for those of plain objects. */
  typesNamed(typeName: string): readonly NodeType[] {
    if (typeName === PROFILE) return OWNER_KINDS.map((kind) => this.#types[kind]);
    return GRAPH_NODES.map((node) => this.#types[node]).filter((type) => type.typeName === typeName);
  }

  /** Type of the rows of an edge. */
  rowType({ row }: Edge): NodeType {
    return typeof row === 'string' ? this.#types[row] : row;
  }

  isEdgeName(name: string): boolean {
    return this.#edgeNames.has(name);
  }

  /** Whether `name` is the first segment of a root path rather than an id. */
  isRootName(name: string): boolean {
    return this.#words.has(name);
  }

  /** Whether only broadcasts have this edge: unknown ids give LIVE_VIDEO__NOT_EXIST there. */
  isLiveEdge(name: string): boolean {
    return this.#liveEdges.has(name);
  }
}
