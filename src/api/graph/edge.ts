/** The lists of a node. One definition serves the edge's own address and its place in `fields`. */
import type { z } from 'zod';
import type { ListName, PageQuery, StoredObject } from '../../ports/index.js';
import type { GraphNode } from '../../spec/graph.js';
import type { RawParams } from '../params/raw.js';
import type { Call } from './call.js';
import type { NodeType } from './node-type.js';
import type { Paging, Rows, TextRows } from './paging.js';

export interface EdgeRead<Data, Params> {
  readonly call: Call;
  readonly owner: StoredObject<Data>;
  readonly paging: Paging;
  readonly params: Params;
}

export interface Summary<Data, Params> {
  /** Read for `summary=true`. */
  readonly defaults: readonly string[];
  readonly fields: Readonly<Record<string, (read: EdgeRead<Data, Params>) => unknown>>;
}

/** A list of the store that an edge reads: what can be fetched before the edge itself is asked. */
export interface EdgeList {
  readonly edge: ListName;
  readonly query: PageQuery;
  /** Members are ids of objects. */
  readonly objects: boolean;
}

export interface EdgeShape<Data, S extends z.ZodObject> {
  /** Rows that are nodes of another resource name theirs. */
  readonly row: NodeType | GraphNode;
  /** Parameters beside those of paging. */
  readonly params: S;
  /** The parameter that one more path segment gives (`/video_insights/{metric}`). */
  readonly segment?: string;
  readonly read: (read: EdgeRead<Data, z.output<S>>) => Promise<Rows>;
  readonly summary?: Summary<Data, z.output<S>>;
  /** As many rows one read counts as, where it is more than its page. */
  readonly cost?: (raw: RawParams) => number;
  /** The field of the owner that names whose lists are read, where it is there; else the owner's own are. */
  readonly via?: string;
  readonly lists?: (read: { readonly paging: Paging; readonly params: z.output<S> }) => readonly EdgeList[];
  /** Fields of the owner with ids of objects that are read. */
  readonly follows?: readonly string[];
  /** The page with its rows as JSON already, for lists that many read and few change. Default fields, no summary. */
  readonly text?: (read: EdgeRead<Data, z.output<S>>) => Promise<TextRows>;
}

/** With the types of its data and parameters closed over. */
export type Edge = EdgeShape<unknown, z.ZodObject>;

export function defineEdge<Data, S extends z.ZodObject>(shape: EdgeShape<Data, S>): Edge {
  // The table of routes pairs each edge with the kind of node whose data it reads, and parses with its own schema.
  return shape as Edge;
}

/** Whose lists an edge reads. */
export function listOwner(object: StoredObject, via: string | undefined): string {
  const named = via === undefined ? undefined : (object.data as Readonly<Record<string, unknown>>)[via];
  return typeof named === 'string' ? named : object.id;
}

/** The summary of a list that only counts its entries. */
export const totalCount = (edge: string): Summary<unknown, unknown> => ({
  defaults: ['total_count'],
  fields: { total_count: ({ call, owner }) => call.loader.size({ owner: owner.id, edge }) },
});
