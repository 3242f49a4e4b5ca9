/** Dispatches one call: resolve the path, check the rule, run the route's handler. */
import { z } from 'zod';
import { isRecord } from '../../lib/objects.js';
import { nameRoute } from '../../lib/spans.js';
import { noSuchObject, unknownPath } from '../access/faults.js';
import { parseFields } from '../params/fields.js';
import { bool } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';
import type { RawParams } from '../params/raw.js';
import type { Answer, Call } from './call.js';
import { paramsOf, withDebug } from './debug.js';
import { isEdge, type Operation, READ_NODE, type Registry, type RouteEntry } from './registry.js';
import { Renderer } from './render.js';
import { isForOperators, type Node, resolveNode } from './resolve.js';

/** A call without a node. */
export interface RootCall {
  readonly run: (call: Call) => Promise<Answer>;
  /** Names of the parameters that it reads; absent if it adds `__debug__` itself. */
  readonly params?: readonly string[];
}

/** Calls without a node: the batch, multi-reads, token endpoints. Keyed `METHOD path`. */
export type RootCalls = ReadonlyMap<string, RootCall>;

/** The routes of nodes and of root paths. */
export interface Routing {
  readonly graph: Registry;
  readonly root: RootCalls;
}

export async function dispatch({ graph, root }: Routing, call: Call): Promise<Answer> {
  const own = root.get(`${call.method} ${call.segments.join('/')}`);
  if (own) {
    nameRoute(`${call.method} /${call.segments.join('/')}`);
    return runRoot(own, call);
  }
  const [name, edge = null, ...rest] = call.segments;
  if (name === undefined) throw unknownPath('/');
  const isMultiEdge = edge === null && call.params.ids !== undefined && graph.isEdgeName(name);
  if (isMultiEdge) {
    const several = root.get('GET ');
    if (several === undefined) throw unknownPath(`/${call.segments.join('/')}`);
    return runRoot(several, call);
  }
  if (edge !== null && !graph.isEdgeName(edge)) {
    // Resolve the node first: a path below a missing object is a missing object, not an unknown path.
    await resolveNode(graph, call, name, null);
    throw unknownPath(`/${[edge, ...rest].join('/')}`);
  }
  const target = await resolveNode(graph, call, name, edge);
  const route = graph.route(call.method, target.kind, edge);
  if (route === undefined) {
    if (call.method === 'GET' && edge !== null) throw unknownPath(`/${edge}`);
    throw noSuchObject(call.method, name);
  }
  nameRoute(route.key);
  return withDebug(call, () => paramsOf(route.handler), await runRoute(graph, call, target, route, rest));
}

async function runRoot({ run, params }: RootCall, call: Call): Promise<Answer> {
  const answer = await run(call);
  return params === undefined ? answer : withDebug(call, () => params, answer);
}

export async function runRoute(
  graph: Registry,
  call: Call,
  target: Node,
  { rule, handler, edge }: RouteEntry,
  rest: readonly string[],
): Promise<Answer> {
  if (!isForOperators(graph, call, target, edge)) await call.access.check(rule, target);
  if (handler === READ_NODE) {
    if (rest.length > 0) throw unknownPath(`/${rest.join('/')}`);
    return { body: await readNode(graph, call, target) };
  }
  const params = withSegments(call.params, handler.segments, rest);
  if (!isEdge(handler)) return runOperation(graph, call, target, handler, params);
  const renderer = new Renderer(graph, call);
  const address = { path: [target.id, edge, ...rest].join('/'), params: call.params };
  const fields = parseFields(call.params.fields);
  const render = () => renderer.edge(handler, target, params, fields, address);
  const { version } = handler;
  if (version === undefined) return { body: await render() };
  return { body: await call.services.lists.answer(call, address, () => version(call, target), render) };
}

/** @throws ServiceError 2500 for more segments than the route has */
function withSegments(params: RawParams, names: readonly string[] = [], rest: readonly string[]): RawParams {
  if (rest.length > names.length) throw unknownPath(`/${rest.join('/')}`);
  return rest.length === 0 ? params : { ...params, ...Object.fromEntries(rest.map((each, at) => [names[at], each])) };
}

async function runOperation(
  graph: Registry,
  call: Call,
  target: Node,
  operation: Operation,
  params: RawParams,
): Promise<Answer> {
  checkReadBack(graph, call, target);
  const answer = await operation.run(call, target, params);
  return call.method === 'GET' ? answer : readAfterWrite(graph, call, target, answer);
}

/** Validates `fields` before the write: a client that gets an error retries, and would create the object twice. */
function checkReadBack(graph: Registry, call: Call, target: Node): void {
  if (call.method !== 'POST') return;
  const fields = parseFields(call.params.fields);
  if (fields === undefined) return;
  const edgeName = call.segments[1];
  const edge = edgeName === undefined ? undefined : graph.edge(target.kind, edgeName)?.edge;
  const type = edgeName === undefined ? graph.nodeType(target.kind) : edge && graph.rowType(edge);
  if (type?.node !== undefined) new Renderer(graph, call).checkSelections(type, fields);
}

/** A create or update with `fields` returns those fields of the node it created or changed. */
async function readAfterWrite(graph: Registry, call: Call, target: Node, answer: Answer): Promise<Answer> {
  if (call.method !== 'POST' || !isRecord(answer.body)) return answer;
  const fields = parseFields(call.params.fields);
  if (fields === undefined) return answer;
  const { id } = answer.body;
  const nodeId =
    typeof id === 'string' ? id : answer.body.success === true && call.segments.length === 1 ? target.id : undefined;
  if (nodeId === undefined) return answer;
  call.loader.forget(nodeId);
  const node = await call.loader.load(nodeId);
  if (node === undefined) return answer;
  const type = graph.nodeType(node.kind as Node['kind']);
  return { ...answer, body: await new Renderer(graph, call).row(type, node, fields) };
}

const nodeParams = z.object({ metadata: bool().nullish() });

/** The requested fields, or the default set; with `metadata=1` also the node's fields and connections. */
async function readNode(graph: Registry, call: Call, target: Node): Promise<object> {
  const type = graph.nodeType(target.kind);
  const renderer = new Renderer(graph, call);
  const node = await renderer.row(type, target, parseFields(call.params.fields));
  if (call.params.metadata === undefined) return node;
  const { metadata } = parseParams(nodeParams, call.params);
  return metadata ? { ...node, metadata: renderer.metadata(type, target.id) } : node;
}
