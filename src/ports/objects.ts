/** Objects, the lists between them, counters and names: what the interface keeps. */

export type NodeKind =
  | 'page'
  | 'group'
  | 'user'
  | 'video'
  | 'live_video'
  | 'input_stream'
  | 'poll'
  | 'poll_option'
  | 'comment'
  | 'caption'
  | 'thumbnail'
  | 'post'
  | 'upload_session'
  | 'token'
  | 'job'
  /** Observed values of a broadcast over time. */
  | 'series'
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

/** The store kept another version, or a name was taken: nothing was written for the object named. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly code = 'STORE_CONFLICT';
  readonly id: string;
  constructor(id: string) {
    super(`the stored object ${id} has changed meanwhile`);
    this.id = id;
  }
}

/** The store cannot be reached now; the caller may retry. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'STORE_UNAVAILABLE';
}

export interface PageQuery {
  readonly limit: number;
  /** Newest (highest score) first unless `ascending`. */
  readonly ascending?: boolean;
  /** Exclusive cursors, as `cursorOf` makes them. `after` goes on in reading order, `before` goes back. */
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
 * A read of objects with what lies around them: what their fields name, pages of their lists, the members of those pages.
 * It is what a request is expected to need; whatever it does not hold is read as usual.
 */
export interface BatchRead {
  /** Unique names; the objects that they point at are read too. */
  readonly aliases: readonly string[];
  readonly ids: readonly string[];
  /** Fields of `data` that hold an id or a list of ids: the objects that they name are read too, up to three steps away. */
  readonly follow: readonly Follow[];
  readonly lists: readonly BatchList[];
  readonly counters: readonly BatchCounters[];
  /** Broadcasts whose record counts are read. */
  readonly recordCounts?: readonly string[];
  /** The entry of this member in the edge of each `data.ownerId` met, and of each object asked for itself. */
  readonly entry?: {
    readonly edge: string;
    /** As text, or the `data.ownerId` of the object that an alias points at. */
    readonly member: string | { readonly ofAlias: string };
  };
}

export interface Follow {
  readonly field: string;
  /** Only of objects whose `data` has this value there. */
  readonly where?: { readonly field: string; readonly is: string };
}

interface Around {
  /** Of which kind of object it is read. */
  readonly kind: NodeKind;
  /** The field that names its owner; absent, or absent in the object: the object itself. */
  readonly via?: string;
}

export interface BatchList extends Around {
  readonly edge: string;
  /** With a limit of 0 only the size is read. */
  readonly query: PageQuery;
  readonly size?: boolean;
  /** The members are ids of objects: these are read, with lists and counters of their own. */
  readonly members?: Pick<BatchRead, 'lists' | 'counters'>;
}

export interface BatchCounters extends Around {
  readonly names: readonly string[];
}

/** What a batch read found. What was asked for and is not there is `undefined`; what is absent was not read. */
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
  /** Only counted: there were too many. */
  readonly uncounted: number;
  readonly lastRevision: number;
}

export interface ObjectStore {
  get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined>;
  /** One round trip; the answer has the order of `ids`. */
  getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]>;
  resolveAlias(alias: string): Promise<string | undefined>;
  /**
   * Writes all or, on a conflict, nothing. On Redis a transaction spans one hash tag: writes go object first, then what
   * refers to it, then index entries, and an index entry without its object is skipped by readers and swept.
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
   * One round trip for all of it. Absent where reads cost none, and where one call cannot span objects (a cluster of
   * Redis). Bounded: what is too much is left out.
   */
  readonly readBatch?: ((wanted: BatchRead) => Promise<BatchResult>) | undefined;
}
