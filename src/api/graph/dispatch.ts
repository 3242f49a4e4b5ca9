/** One call, from its path to its answer: resolve, hold the rule, then the code behind the route. */

import { isRecord } from '../../lib/objects.js';
import type { StoredObject } from '../../ports/index.js';
import { noSuchObject, unknownPath } from '../access/faults.js';
import { parseFields } from '../params/fields.js';
import { bool } from '../params/kinds.js';
import type { Answer, Call } from './call.js';
import { isEdge, type Operation, READ_NODE, type RouteEntry } from './registry.js';
import { checkSelections, metadataOf, renderEdge, renderEdgeText, renderRow } from './render.js';
import { type Node, resolveNode } from './resolve.js';

/** Calls without a node: the batch, multi-reads, token endpoints. Keyed `METHOD path`. */
export type FixedCalls = ReadonlyMap<string, (call: Call) => Promise<Answer>>;

export async function dispatch(call: Call, fixed: FixedCalls): Promise<Answer> {
  const own = fixed.get(`${call.method} ${call.segments.join('/')}`);
  if (own) return own(call);
  const [name, edge = null, ...rest] = call.segments;
  if (name === undefined) throw unknownPath('/');
  const { graph } = call.services;
  const isMultiEdge = edge === null && call.params.ids !== undefined && graph.isEdgeName(name);
  if (isMultiEdge) return (fixed.get('GET ') ?? notThere)(call);
  if (edge !== null && !graph.isEdgeName(edge)) {
    // The node decides first: a path below nothing is a missing object, not an unknown path.
    await resolveNode(call, name, null);
    throw unknownPath(`/${[edge, ...rest].join('/')}`);
  }
  const target = await resolveNode(call, name, edge);
  const route = graph.route(call.method, target.kind, edge);
  if (route === undefined) {
    if (call.method === 'GET' && edge !== null) throw unknownPath(`/${edge}`);
    throw noSuchObject(call.method, name);
  }
  return runRoute(call, target, route, rest);
}

async function notThere(call: Call): Promise<Answer> {
  throw unknownPath(`/${call.segments.join('/')}`);
}

export async function runRoute(call: Call, target: Node, route: RouteEntry, rest: readonly string[]): Promise<Answer> {
  await call.access.check(route.key, target);
  const { behind } = route;
  if (behind === READ_NODE) {
    if (rest.length > 0) throw unknownPath(`/${rest.join('/')}`);
    return { body: await readNode(call, target) };
  }
  if (isEdge(behind)) {
    const params =
      behind.segment && rest[0] !== undefined ? { ...call.params, [behind.segment]: rest[0] } : call.params;
    if (rest.length > (behind.segment ? 1 : 0)) throw unknownPath(`/${rest.join('/')}`);
    const address = { path: [target.id, route.edge, ...rest].join('/'), params: call.params };
    const fields = parseFields(call.params.fields);
    const text = fields === undefined ? await renderEdgeText(behind, target, params, call, address) : undefined;
    return { body: text ?? (await renderEdge(behind, target, params, fields, call, address)) };
  }
  return runOperation(call, target, behind, rest);
}

async function runOperation(call: Call, target: Node, behind: Operation, rest: readonly string[]): Promise<Answer> {
  if (rest.length > (behind.segment ? 1 : 0)) throw unknownPath(`/${rest.join('/')}`);
  const params = behind.segment && rest[0] !== undefined ? { ...call.params, [behind.segment]: rest[0] } : call.params;
  checkReadBack(call, target);
  const answer = await behind.run(call, target, params);
  return call.method === 'GET' ? answer : readAfterWrite(call, target, answer);
}

/** Before anything is made: a client that is told of a wrong field tries again, and would make it twice. */
function checkReadBack(call: Call, target: Node): void {
  if (call.method !== 'POST') return;
  const fields = parseFields(call.params.fields);
  if (fields === undefined) return;
  const { graph } = call.services;
  const edge = call.segments[1];
  const kind = edge === undefined ? graph.kind(target.kind) : graph.edge(target.kind, edge)?.edge.row;
  if (kind?.node !== undefined) checkSelections(kind, fields, call);
}

/** A create or an update that names `fields` answers with those of the node it made or changed. */
async function readAfterWrite(call: Call, target: Node, answer: Answer): Promise<Answer> {
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
  return { ...answer, body: await renderRow(call.services.graph.kind(node.kind as Node['kind']), node, fields, call) };
}

/** The fields asked for, or the default set; with `metadata=1` what the node has besides. */
export async function readNode(call: Call, target: Node): Promise<object> {
  const kind = call.services.graph.kind(target.kind);
  const node = await renderRow(kind, target as StoredObject, parseFields(call.params.fields), call);
  const wantsMetadata = bool().safeParse(call.params.metadata);
  return wantsMetadata.success && wantsMetadata.data ? { ...node, metadata: metadataOf(kind, target.id, call) } : node;
}
