/** Resolves the first segment of a path to an object that the token may see. */
import { ALIAS, type NodeKind, type StoredObject } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import { activeTokenRequired, noSuchAlias, noSuchLiveVideo, noSuchObject, tokenRequired } from '../access/faults.js';
import { parseFields } from '../params/fields.js';
import type { Call } from './call.js';
import { errorNode, formerNode, tombstoneOf } from './record-nodes.js';
import { isGraphNode, type Registry } from './registry.js';

/** Digits, or the `{object}_{number}` of comments and posts. Longer ones than any id are ids that do not exist. */
export const ID = /^\d+(_\d+)*$/;

/** The edge that answers after its object is deleted. */
const ERRORS = 'errors';

export type Node = StoredObject & { readonly kind: GraphNode & NodeKind };

/**
 * @param edge the second segment; for an edge that only broadcasts have, an unknown id gives LIVE_VIDEO__NOT_EXIST
 * @throws ServiceError 104 or 2500 without a token, 803 for an unknown name, 100/33 or LIVE_VIDEO__NOT_EXIST otherwise
 */
export async function resolveNode(graph: Registry, call: Call, name: string, edge: string | null): Promise<Node> {
  if (!call.viewer) throw name === 'me' ? activeTokenRequired() : tokenRequired();
  const id = name === 'me' ? call.viewer.ownerId : ID.test(name) ? name : await aliasedId(call, name);
  const found = await call.loader.load(id);
  if (found && isGraphNode(found.kind)) {
    const node = found as Node;
    if (isForOperators(graph, call, node, edge) || (await call.access.maySee(found))) return node;
  }
  const record = found === undefined && call.method === 'GET' ? await recordNode(call, id, edge) : undefined;
  if (record !== undefined) return record;
  const deletedMs = found ? undefined : await deletionOf(call, id);
  if (deletedMs !== undefined || (edge !== null && graph.isLiveEdge(edge))) throw noSuchLiveVideo(deletedMs);
  throw noSuchObject(call.method, id);
}

/**
 * The scope `operator_read` sees errors and health of every broadcast, and nothing else of what is hidden from it: routes and,
 * where it names nothing else, fields and edges of a node.
 */
export function isForOperators(graph: Registry, call: Call, { kind }: Node, edge: string | null): boolean {
  if (call.method !== 'GET' || !call.access.readsAllErrors) return false;
  if (graph.route('GET', kind, edge)?.rule.operators === true) return true;
  if (edge !== null) return false;
  const { fields: known } = graph.nodeType(kind);
  const isOpen = (name: string): boolean =>
    name === 'id' || known.get(name)?.operators === true || graph.edge(kind, name)?.rule.operators === true;
  return parseFields(call.params.fields)?.every(({ name }) => isOpen(name)) ?? false;
}

async function recordNode(call: Call, id: string, edge: string | null): Promise<Node | undefined> {
  if (edge === null) return errorNode(call, id);
  return edge === ERRORS ? formerNode(call, id) : undefined;
}

async function aliasedId(call: Call, name: string): Promise<string> {
  const id = await call.loader.resolveAlias(ALIAS.username(name));
  if (id === undefined) throw noSuchAlias(name);
  return id;
}

/** When a live video that the token could see was deleted. */
async function deletionOf(call: Call, id: string): Promise<number | undefined> {
  const stone = await tombstoneOf(call, id);
  if (stone?.data.was !== 'live_video') return undefined;
  const isTold = stone.data.wasPublic || (await call.access.manages(stone.data.ownerId));
  return isTold ? stone.updatedMs : undefined;
}
