/** The store: objects, error records, leases, short-lived values, and the bus between processes. */
import type { RecordChange, StoredRecord } from '../spec/error-record.js';
import type { ObjectStore, RecordCounts } from './objects.js';

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
   * `delete` entries of the broadcast change nothing.
   */
  append(entries: readonly JournalEntry[], options?: AppendOptions): Promise<StoredRecord[]>;
  page(broadcastId: string, query: RecordQuery): Promise<RecordPage>;
  get(broadcastId: string, id: string): Promise<StoredRecord | undefined>;
  /** Records in all, those still open, and those that were only counted. */
  counts(broadcastId: string): Promise<RecordCounts>;
  delete(broadcastId: string): Promise<void>;
  /** Keeps the records until at least then. */
  keepUntil(broadcastId: string, untilMs: number): Promise<void>;
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
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  get(key: string): Promise<unknown>;
}

export interface Store {
  readonly objects: ObjectStore;
  readonly records: RecordStore;
  readonly leases: LeaseStore;
  readonly volatile: VolatileStore;
  readonly bus: Bus;
  /** Several processes and machines may have it open; it can be away while they run. */
  readonly isShared: boolean;
  /** For metrics: `lmdb`, `redis`. */
  readonly name: string;
  /** The client behind it, for libraries that bring commands of their own. Absent for LMDB. */
  readonly client?: object;
  /** Resolves when a trivial read and write went through; rejects with StoreUnavailableError. */
  ping(): Promise<void>;
  /** Told at every loss and return of the backing server (never for LMDB). */
  onAvailability(listener: (available: boolean) => void): () => void;
  close(): Promise<void>;
}
