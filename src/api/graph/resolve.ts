/** Resolves the first segment of a path to an object that the token may see. */
import type { OwnerKind } from '../../broadcast/documents.js';
import { ALIAS, DERIVED_ID, type NodeKind, type StoredObject } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import { activeTokenRequired, noSuchAlias, noSuchLiveVideo, noSuchObject, tokenRequired } from '../access/faults.js';
import type { Call } from './call.js';
import { isGraphNode, type Registry } from './registry.js';

/** Digits, or the `{object}_{number}` of comments and posts. */
export const ID = /^\d{1,20}(_\d{1,20})*$/;

export interface Tombstone {
  readonly was: 'live_video';
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  /** Whether it was visible to everyone. */
  readonly wasPublic: boolean;
}

export type Node = StoredObject & { readonly kind: GraphNode & NodeKind };

/**
 * @param edge the second segment; for an edge that only broadcasts have, an unknown id gives LIVE_VIDEO__NOT_EXIST
 * @throws ServiceError 104 or 2500 without a token, 803 for an unknown name, 100/33 or LIVE_VIDEO__NOT_EXIST otherwise
 */
export async function resolveNode(graph: Registry, call: Call, name: string, edge: string | null): Promise<Node> {
  if (!call.viewer) throw name === 'me' ? activeTokenRequired() : tokenRequired();
  const id = name === 'me' ? call.viewer.ownerId : ID.test(name) ? name : await aliasedId(call, name);
  const found = await call.loader.load(id);
  if (found && isGraphNode(found.kind) && (await call.access.maySee(found))) return found as Node;
  if (edge !== null && graph.isLiveEdge(edge)) throw noSuchLiveVideo();
  if (!found && (await wasLiveVideo(call, id))) throw noSuchLiveVideo();
  throw noSuchObject(call.method, id);
}

async function aliasedId(call: Call, name: string): Promise<string> {
  const id = await call.loader.resolveAlias(ALIAS.username(name));
  if (id === undefined) throw noSuchAlias(name);
  return id;
}

async function wasLiveVideo(call: Call, id: string): Promise<boolean> {
  const stone = await call.loader.load(DERIVED_ID.tombstone(id));
  if (stone === undefined) return false;
  const data = stone.data as Tombstone;
  return data.wasPublic || (await call.access.manages(data.ownerId));
}
