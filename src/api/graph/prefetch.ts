/**
 * Predicts the reads of a call from its path, token and fields, for stores that can do them in one round trip.
 * Correctness does not depend on the prediction: anything missing is read on demand.
 */
import { ALIAS, type BatchCounters, type BatchList, type BatchRead, type Follow } from '../../ports/index.js';
import type { GraphMethod, GraphNode } from '../../spec/graph.js';
import { hashToken } from '../access/tokens.js';
import type { Viewer } from '../context/viewer.js';
import { parseFields, type Selection } from '../params/fields.js';
import { parseParams } from '../params/parse.js';
import { mergeParams, noParams, type RawParams } from '../params/raw.js';
import { ifValid } from './cost.js';
import type { Edge } from './edge.js';
import type { NodeType } from './node-type.js';
import { parsePaging, withTimeWords } from './paging.js';
import { PlainCalls } from './plain-calls.js';
import { GRAPH_NODES, type Registry } from './registry.js';
import { ID } from './resolve.js';
import { targetsOf } from './targets.js';

export interface PrefetchOf {
  readonly method: GraphMethod;
  readonly segments: readonly string[];
  readonly params: RawParams;
  readonly token: string;
  /** Absent: the token must be loaded too. */
  readonly viewer: Viewer | undefined;
  readonly nowMs: number;
  /** Whether record writes of this broadcast are pending, so that its stored counts are stale. */
  readonly hasPendingRecords: (broadcastId: string) => boolean;
}

/** Fields that access decisions follow: the object's parents, and the token's parent. */
const ALWAYS = ['liveVideoId', 'rootId', 'parentId'];
/** A group's privacy applies to its posts. */
const OWNER_OF_GROUP: Follow = { field: 'ownerId', where: { field: 'ownerKind', is: 'group' } };

interface Found {
  readonly lists: BatchList[];
  readonly counters: BatchCounters[];
}

/** The roles of a token are those of the first token of its family. */
const firstMaker = (viewer: Viewer): Viewer => (viewer.maker === undefined ? viewer : firstMaker(viewer.maker));

/** `undefined`: no reads can be predicted. */
export function prefetchOf(graph: Registry, call: PrefetchOf): BatchRead | undefined {
  const { names, edge } = targetsOf(graph, call.segments, call.params);
  const ownAlias = call.viewer === undefined ? ALIAS.token(hashToken(call.token)) : undefined;
  const isMe = (each: string) => each === 'me';
  const ids = names.flatMap((each) => {
    if (!isMe(each)) return ID.test(each) ? [each] : [];
    return call.viewer === undefined ? [] : [call.viewer.ownerId];
  });
  const usernames = names.filter((each) => !isMe(each) && !ID.test(each) && !graph.isEdgeName(each));
  // The token is not loaded yet: `me` is then the owner in the token's data.
  const owners = names.some(isMe) && call.viewer === undefined ? ['ownerId'] : [];
  const aliases = [...(ownAlias === undefined ? [] : [ownAlias]), ...usernames.map(ALIAS.username)];
  if (ids.length === 0 && aliases.length === 0) return undefined;
  const { follow, lists, counters } = plans.plan(graph, call, () => planOf(graph, call, edge));
  const member = call.viewer === undefined ? ownAlias && { ofAlias: ownAlias } : firstMaker(call.viewer).ownerId;
  return {
    aliases,
    ids,
    follow: owners.length === 0 ? follow : [...owners.map((field) => ({ field })), ...follow],
    lists,
    counters,
    ...(edge === 'errors' ? { recordCounts: ids.filter((id) => !call.hasPendingRecords(id)) } : {}),
    ...(member === undefined ? {} : { entry: { edge: 'roles', member } }),
  };
}

/** The part of a prediction that does not depend on the objects and the token. */
interface Plan extends Found {
  readonly follow: readonly Follow[];
}

/** In a kept plan, a time such as `since(now)` is that of its first call: the prediction then misses, and the list is read when it is rendered. */
const plans = new PlainCalls<Plan>();

function planOf(graph: Registry, { method, params, nowMs }: PrefetchOf, edge: string | null): Plan {
  const planner = new Planner(graph, nowMs);
  const found = method === 'GET' ? planner.of(params, edge) : NOTHING;
  return { ...found, follow: [...[...planner.follow].map((field) => ({ field })), OWNER_OF_GROUP] };
}

const NOTHING: Found = { lists: [], counters: [] };

class Planner {
  readonly follow = new Set(ALWAYS);
  readonly #graph: Registry;
  readonly #nowMs: number;

  constructor(graph: Registry, nowMs: number) {
    this.#graph = graph;
    this.#nowMs = nowMs;
  }

  of(params: RawParams, edgeName: string | null): Found {
    const selections = fieldsOf(params);
    if (edgeName === null)
      return merged(GRAPH_NODES.map((node) => this.#fields(this.#graph.nodeType(node), selections)));
    return merged(GRAPH_NODES.map((node) => this.#edge(node, edgeName, params, selections)));
  }

  /** The lists, counters and objects that the fields of one type read. */
  #fields(type: NodeType, selections: readonly Selection[] | undefined): Found {
    const { node } = type;
    const found: Found = { lists: [], counters: [] };
    for (const name of selections === undefined ? type.defaults : []) this.#field(type, name, found);
    for (const selection of selections ?? []) {
      if (this.#field(type, selection.name, found) || node === undefined) continue;
      const params = mergeParams(noParams(), selection.modifiers);
      const nested = this.#edge(node, selection.name, params, selection.children);
      found.lists.push(...nested.lists);
    }
    return found;
  }

  #field(type: NodeType, name: string, found: Found): boolean {
    const field = type.fields.get(name);
    if (field === undefined) return false;
    for (const each of field.follows ?? []) this.follow.add(each);
    const { counts } = field;
    if (counts === undefined || type.node === undefined) return true;
    if ('edge' in counts) found.lists.push({ kind: type.node, edge: counts.edge, query: { limit: 0 }, size: true });
    else found.counters.push({ kind: type.node, names: [counts.counter], ...viaOf(counts.via) });
    return true;
  }

  #edge(node: GraphNode, name: string, raw: RawParams, selections: readonly Selection[] | undefined): Found {
    const edge = this.#graph.edge(node, name)?.edge;
    if (edge === undefined) return NOTHING;
    for (const each of edge.follows ?? []) this.follow.add(each);
    if (edge.via !== undefined) this.follow.add(edge.via);
    const members = this.#fields(this.#graph.rowType(edge), selections);
    return { lists: this.#lists(node, edge, raw, members), counters: [] };
  }

  #lists(node: GraphNode, edge: Edge, raw: RawParams, members: Found): BatchList[] {
    if (edge.lists === undefined) return [];
    const read = ifValid(() => {
      const paging = parsePaging(raw, this.#nowMs);
      return { paging, params: parseParams(edge.params, withTimeWords(raw, this.#nowMs)) };
    });
    if (read === undefined) return [];
    return edge.lists(read).map((list) => ({
      kind: node,
      edge: list.edge,
      query: list.query,
      size: edge.summary !== undefined && read.paging.summary !== undefined && read.paging.summary !== false,
      ...viaOf(edge.via),
      ...(list.objects ? { members } : {}),
    }));
  }
}

const viaOf = (via: string | undefined) => (via === undefined ? {} : { via });

function merged(found: readonly Found[]): Found {
  return {
    lists: found.flatMap((each) => each.lists),
    counters: found.flatMap((each) => each.counters),
  };
}

function fieldsOf(params: RawParams): readonly Selection[] | undefined {
  return ifValid(() => parseFields(params.fields));
}
