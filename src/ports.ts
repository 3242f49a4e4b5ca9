/** What the pure core and the shell modules ask of each other. Interfaces only; `app.ts` joins them. */
import type { BroadcastStatus, LiveVideoData, Privacy } from './broadcast/documents.js';
import type { ObservedHealth } from './broadcast/judge-types.js';
import type { RecordChange, StoredRecord } from './spec/error-record.js';

export * from './ports-files.js';

// ---------------------------------------------------------------- time, ids, log

export interface Clock {
  /** Wall time, milliseconds since 1970. */
  wallMs(): number;
  /** Milliseconds that never go back; only differences mean anything. */
  monotonicMs(): number;
}

export interface IdSource {
  /** A new decimal id of at most 63 bits, growing with time. */
  next(): string;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

// ---------------------------------------------------------------- store

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
export interface Gathering {
  /** Unique names; the objects that they point at are read too. */
  readonly aliases: readonly string[];
  readonly ids: readonly string[];
  /** Fields of `data` that hold an id or a list of ids: the objects that they name are read too, up to three steps away. */
  readonly follow: readonly Follow[];
  readonly lists: readonly GatheredList[];
  readonly counters: readonly GatheredCounters[];
  /** Broadcasts whose `recordCounts` are read. */
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

export interface GatheredList extends Around {
  readonly edge: string;
  /** With a limit of 0 only the size is read. */
  readonly query: PageQuery;
  readonly size?: boolean;
  /** The members are ids of objects: these are read, with lists and counters of their own. */
  readonly members?: Pick<Gathering, 'lists' | 'counters'>;
}

export interface GatheredCounters extends Around {
  readonly names: readonly string[];
}

/** What a gathering found. What was looked for and is not there is `undefined`; what is absent was not looked for. */
export interface Gathered {
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
  readonly gather?: ((wanted: Gathering) => Promise<Gathered>) | undefined;
}

/** A change of an error record on its way to the store. (broadcastId, fence, number) is unique and ordered. */
export interface JournalEntry {
  readonly broadcastId: string;
  /** Grows each time the broadcast gets a new holder. */
  readonly fence: number;
  /** 1, 2, 3 … within (broadcastId, fence). */
  readonly number: number;
  readonly change: RecordChange;
}

export interface RecordQuery {
  readonly limit: number;
  /** Exclusive cursors by sequence (newest first) or, with `afterRevision`, oldest change first. */
  readonly afterSequence?: number;
  readonly beforeSequence?: number;
  readonly afterRevision?: number;
  readonly severity?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly open?: boolean;
}

export interface RecordPage {
  readonly records: readonly StoredRecord[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface AppendOptions {
  /** Throws an error with code STORE_GAP when an entry's predecessor was never applied: a failover lost it. */
  readonly refuseGaps?: boolean;
}

export interface RecordStore {
  /**
   * Applies entries in order, each once: an entry whose number is not above the last applied one of its (broadcast,
   * fence) changes nothing. Gives each new record its sequence and each change its revision, and answers with the
   * records that it changed, as stored. After 10,000 records of one broadcast only counters move, and after
   * `deleteRecords` entries of the broadcast change nothing.
   */
  append(entries: readonly JournalEntry[], options?: AppendOptions): Promise<StoredRecord[]>;
  records(broadcastId: string, query: RecordQuery): Promise<RecordPage>;
  record(broadcastId: string, id: string): Promise<StoredRecord | undefined>;
  /** Records in all, those still open, and those that were only counted. */
  recordCounts(broadcastId: string): Promise<RecordCounts>;
  deleteRecords(broadcastId: string): Promise<void>;
  /** Keeps the records until at least then. */
  keepRecordsUntil(broadcastId: string, untilMs: number): Promise<void>;
}

export interface Lease {
  readonly key: string;
  readonly holder: string;
  /** Grows with every new holder of the key, for ever. */
  readonly fence: number;
}

export interface LeaseStore {
  /** `undefined`: somebody else holds it. The same holder asking again renews. Time is the store's own clock. */
  acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** False: it was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Takes back a lease that ran out while the store was away. False: somebody has held the key since. */
  reclaim(lease: Lease, ttlMs: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  holder(key: string): Promise<Lease | undefined>;
}

export interface Bus {
  publish(topic: string, message: unknown): void;
  /** Returns the way to stop. Messages of one publisher on one topic arrive in order. */
  subscribe(topic: string, listener: (message: unknown, topic: string) => void): () => void;
}

/** Values with an end that outlive the process, but for the last second of one that is killed: judges' states, running health. */
export interface VolatileStore {
  setVolatile(key: string, value: unknown, ttlMs: number): Promise<void>;
  getVolatile(key: string): Promise<unknown>;
}

export interface Store extends ObjectStore, RecordStore, LeaseStore, VolatileStore {
  readonly bus: Bus;
  readonly kind: 'lmdb' | 'redis';
  /** The client behind it, for libraries that bring commands of their own. Absent for LMDB. */
  readonly client?: object;
  /** Resolves when a trivial read and write went through; rejects with StoreUnavailableError. */
  ping(): Promise<void>;
  /** Told at every loss and return of the backing server (never for LMDB). */
  onAvailability(listener: (available: boolean) => void): () => void;
  close(): Promise<void>;
}

// ---------------------------------------------------------------- broadcasts

/** What the running stream looks like now; served as stream_health and on the dashboard. */
export interface StreamHealth extends ObservedHealth {
  readonly atMs: number;
  readonly connected: boolean;
}

export interface NewLiveVideo {
  readonly ownerId: string;
  readonly status?: 'UNPUBLISHED' | 'LIVE_NOW' | 'SCHEDULED_UNPUBLISHED' | 'SCHEDULED_LIVE';
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: Privacy;
  readonly plannedStartMs?: number;
  readonly stopOnDeleteStream?: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type BroadcastRequest =
  | { readonly type: 'go-live' }
  | { readonly type: 'schedule'; readonly plannedStartMs: number }
  | { readonly type: 'scheduled-live' }
  | { readonly type: 'cancel' }
  | { readonly type: 'end' }
  /** Stopped by an operator or a detector. */
  | { readonly type: 'copyright-stop'; readonly pageName: string }
  /** Plain fields of the document: title, description, privacy, … */
  | { readonly type: 'edit'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'persistent-key'; readonly action: 'ENABLE' | 'DISABLE' | 'REGENERATE' };

export interface StreamUrls {
  /** `rtmps://host:port/live/`: what goes into an encoder's server field. */
  readonly base: string;
  readonly key: string;
  /** Both joined. */
  readonly secureStreamUrl: string;
}

/** The one door to the lifecycle: the HTTP interface, the command line and the ingest side all go through it. */
export interface Broadcasts {
  /** @throws ServiceError (privacy, eligibility, unknown owner) */
  create(input: NewLiveVideo): Promise<StoredObject<LiveVideoData>>;
  /** @throws ServiceError for a move that the lifecycle table does not have */
  request(liveVideoId: string, request: BroadcastRequest): Promise<StoredObject<LiveVideoData>>;
  /** Deletes the live video, its records and its edges. @throws ServiceError LIVE_VIDEO__DELETE_FAILED */
  remove(liveVideoId: string): Promise<void>;
  health(liveVideoId: string): Promise<StreamHealth | undefined>;
  urls(live: StoredObject<LiveVideoData>): StreamUrls;
  persistentUrls(ownerId: string): Promise<StreamUrls | undefined>;
}

/** Topics of the bus. */
export const TOPIC = {
  /** `{ broadcastId, records: StoredRecord[] }` after the store took them. */
  records: 'records',
  /** `{ liveVideoId, status: BroadcastStatus, stream }` */
  state: 'state',
  /** `{ ownerId, liveVideoId }` when a publish with a persistent key opened a new live video. */
  persistentLive: 'persistent-live',
  /** `{ liveVideoId, request }` to whichever process holds the stream. */
  control: 'control',
  /** `{ id }`: an access token was revoked; what is known of tokens must be read again. */
  tokens: 'tokens',
} as const;

/** Short-lived values of a broadcast that more than one module reads. */
export const VOLATILE = {
  /** The verdict of its last preflight. */
  preflight: (liveVideoId: string): string => `preflight:${liveVideoId}`,
  /** The last thing that ffprobe saw differently. */
  disagreement: (liveVideoId: string): string => `disagreement:${liveVideoId}`,
} as const;

export interface StateMessage {
  readonly liveVideoId: string;
  readonly ownerId: string;
  readonly status: BroadcastStatus;
  readonly stream: string;
  readonly atMs: number;
}
