/** Edges: the lists of a node. One definition serves both the edge's path and its use in `fields`. */
import type { z } from 'zod';
import type { ListName, PageQuery, StoredObject } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import type { RawParams } from '../params/raw.js';
import type { Call } from './call.js';
import type { NodeType } from './node-type.js';
import type { Paging, Rows } from './paging.js';

export interface EdgeRead<Data, Params> {
  readonly call: Call;
  readonly owner: StoredObject<Data>;
  readonly paging: Paging;
  readonly params: Params;
}

export interface Summary<Data, Params> {
  /** Returned for `summary=true`. */
  readonly defaults: readonly string[];
  readonly fields: Readonly<Record<string, (read: EdgeRead<Data, Params>) => unknown>>;
}

/** A list of the store that an edge reads; can be prefetched. */
export interface EdgeList {
  readonly edge: ListName;
  readonly query: PageQuery;
  /** Whether members are ids of objects. */
  readonly objects: boolean;
}

export interface EdgeShape<Data, S extends z.ZodObject> {
  /** Type of the rows; rows that are graph nodes give the node's name. */
  readonly row: NodeType | GraphNode;
  /** Parameters other than paging. */
  readonly params: S;
  /** The parameters supplied by extra path segments (`/video_insights/{metric}/{period}`). */
  readonly segments?: readonly string[];
  /** Names parts of the request that the answer lacks, with the reason. */
  readonly warnings?: (params: z.output<S>) => readonly object[];
  readonly read: (read: EdgeRead<Data, z.output<S>>) => Promise<Rows>;
  readonly summary?: Summary<Data, z.output<S>>;
  /** Rows that one read costs, if more than its page. */
  readonly cost?: (raw: RawParams) => number;
  /** Field of the owner with the id whose lists are read; if absent there, the owner's own lists. */
  readonly via?: string;
  readonly lists?: (read: { readonly paging: Paging; readonly params: z.output<S> }) => readonly EdgeList[];
  /** Fields of the owner with ids of objects that the edge reads. */
  readonly follows?: readonly string[];
  /** A text that differs whenever a page of the list may, so that pages can be kept as they were answered. */
  readonly version?: (call: Call, owner: StoredObject<Data>) => Promise<string>;
}

/** An edge with the types of its data and parameters erased. */
export type Edge = EdgeShape<unknown, z.ZodObject>;

export function defineEdge<Data, S extends z.ZodObject>(shape: EdgeShape<Data, S>): Edge {
  // The route table pairs each edge with the kind of node whose data it reads, and parameters are parsed with its
  // schema.
  return shape as Edge;
}

/** Id of the object whose lists an edge reads. */
export function listOwner(object: StoredObject, via: string | undefined): string {
  const named = via === undefined ? undefined : (object.data as Readonly<Record<string, unknown>>)[via];
  return typeof named === 'string' ? named : object.id;
}

/** A summary with only the number of entries. */
export const totalCount = (edge: string): Summary<unknown, unknown> => ({
  defaults: ['total_count'],
  fields: { total_count: ({ call, owner }) => call.loader.size({ owner: owner.id, edge }) },
});
