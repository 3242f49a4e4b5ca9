/** The object store port: objects, edges between them, counters and aliases. */
import type { GraphNode } from '../spec/graph.js';

/** Nodes of the graph, of which `error` is a record of an error log and never a stored object, and what is stored beside them. */
export type NodeKind =
  | GraphNode
  | 'caption'
  | 'upload_session'
  | 'token'
  | 'session'
  | 'job'
  /** Observed values of a broadcast over time. */
  | 'series'
  | 'server_history'
  | 'setting';

/** A stored object. `version` starts at 1 and grows by one with each put. */
export interface StoredObject<Data = unknown> {
  readonly id: string;
  readonly kind: NodeKind;
  readonly version: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly data: Data;
}

/** One ordered list of an object: `page 12 / live_videos`. Entries are ordered by (score, member). */
export interface EdgeName {
  readonly owner: string;
  readonly edge: string;
}

export interface EdgeEntry {
  readonly member: string;
  /** A non-negative integer, usually milliseconds since 1970. */
  readonly score: number;
  /** Small JSON kept beside the entry (a vote's option, a like's name). */
  readonly value?: unknown;
}

export type Write =
  /** Puts the object. `expect` 0: it must not exist; n: it must stand at version n; absent: last writer wins. */
  | { readonly op: 'put'; readonly object: Omit<StoredObject, 'version'>; readonly expect?: number }
  /** Deletes the object, its counters, and every edge that it owns. */
  | { readonly op: 'delete'; readonly id: string; readonly expect?: number }
  | ({ readonly op: 'edgeAdd' } & EdgeName & EdgeEntry)
  | ({ readonly op: 'edgeRemove'; readonly member: string } & EdgeName)
  /** Adds to a named counter of an object; counters start at 0. */
  | { readonly op: 'count'; readonly owner: string; readonly counter: string; readonly by: number }
  /** Points a unique name (`token:<hash>`, `username:<name>`) at an id, or removes it. */
  | { readonly op: 'alias'; readonly alias: string; readonly id: string | null };

/** The store has another version, or an alias is taken: nothing was written for this object. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly code = 'STORE_CONFLICT';
  readonly id: string;
  constructor(id: string) {
    super(`the stored object ${id} was changed concurrently`);
    this.id = id;
  }
}

/** The store is temporarily unavailable; the caller may retry. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'STORE_UNAVAILABLE';
}

export interface PageQuery {
  readonly limit: number;
  /** Newest (highest score) first unless `ascending`. */
  readonly ascending?: boolean;
  /** Exclusive cursors from `cursorOf`. `after` continues in reading order, `before` goes back. */
  readonly after?: string;
  readonly before?: string;
  readonly offset?: number;
  /** Inclusive bounds on the score. */
  readonly sinceScore?: number;
  readonly untilScore?: number;
}

export interface EdgePage {
  /** In reading order. */
  readonly entries: readonly (EdgeEntry & { readonly cursor: string })[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/**
 * A batched read of objects and their related data: objects that their fields refer to, pages of their lists, members of
 * those pages. It prefetches what a request is expected to need; anything else is read as usual.
 */
export interface BatchRead {
  /** Aliases; the objects that they refer to are read too. */
  readonly aliases: readonly string[];
  readonly ids: readonly string[];
  /** Fields of `data` with an id or a list of ids: the objects that they refer to are read too, up to three steps away. */
  readonly follow: readonly Follow[];
  readonly lists: readonly BatchList[];
  readonly counters: readonly BatchCounters[];
  /** Broadcasts whose record counts are read. */
  readonly recordCounts?: readonly string[];
  /** The entry of this member in the edge of each `data.ownerId` found, and of each requested object. */
  readonly entry?: {
    readonly edge: string;
    /** The member, or the `data.ownerId` of the object that an alias refers to, or of the first of its parents if it has any. */
    readonly member: string | { readonly ofAlias: string };
  };
}

export interface Follow {
  readonly field: string;
  /** Only of objects whose `data` has this value in this field. */
  readonly where?: { readonly field: string; readonly is: string };
}

interface RelatedTo {
  /** The kind of objects for which it is read. */
  readonly kind: NodeKind;
  /** The field with the id of the list's owner; if absent, also in the object, the object itself. */
  readonly via?: string;
}

export interface BatchList extends RelatedTo {
  readonly edge: string;
  /** A limit of 0 reads only the size. */
  readonly query: PageQuery;
  readonly size?: boolean;
  /** The members are ids of objects, which are read too, with their own lists and counters. */
  readonly members?: Pick<BatchRead, 'lists' | 'counters'>;
}

export interface BatchCounters extends RelatedTo {
  readonly names: readonly string[];
}

/** The result of a batch read. A missing item is `undefined`; an absent one was not read. */
export interface BatchResult {
  readonly aliases: readonly (readonly [alias: string, id: string | undefined])[];
  readonly objects: readonly (readonly [id: string, object: StoredObject | undefined])[];
  readonly pages: readonly { readonly name: EdgeName; readonly query: PageQuery; readonly page: EdgePage }[];
  readonly sizes: readonly { readonly name: EdgeName; readonly size: number }[];
  readonly entries: readonly {
    readonly name: EdgeName;
    readonly member: string;
    readonly entry: EdgeEntry | undefined;
  }[];
  readonly counters: readonly { readonly owner: string; readonly values: Readonly<Record<string, number>> }[];
  readonly recordCounts: readonly (readonly [broadcastId: string, counts: RecordCounts])[];
}

export interface RecordCounts {
  readonly total: number;
  readonly open: number;
  /** Records beyond the limit, which are only counted. */
  readonly uncounted: number;
  readonly lastRevision: number;
}

export interface ObjectStore {
  get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined>;
  /** One round trip; the result has the order of `ids`. */
  getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]>;
  resolveAlias(alias: string): Promise<string | undefined>;
  /**
   * Writes all or, on a conflict, nothing. In a Redis Cluster a transaction spans one hash tag: objects are written first,
   * then references to them, then index entries; readers skip an index entry without an object, and it is swept.
   * @throws ConflictError, StoreUnavailableError
   */
  commit(writes: readonly Write[]): Promise<void>;
  page(name: EdgeName, query: PageQuery): Promise<EdgePage>;
  /** Several edges in one round trip. */
  pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]>;
  edgeSize(name: EdgeName): Promise<number>;
  edgeEntry(name: EdgeName, member: string): Promise<EdgeEntry | undefined>;
  counters(owner: string, names: readonly string[]): Promise<number[]>;
  /**
   * Reads everything in one round trip. Absent if reads need no round trip, or if one call cannot span objects (Redis
   * Cluster). Bounded: items beyond the limit are omitted.
   */
  readonly readBatch?: ((wanted: BatchRead) => Promise<BatchResult>) | undefined;
}
