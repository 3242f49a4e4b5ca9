/** The store port: objects, error records, leases, short-lived values, and the bus between processes. */
import type { RecordChange, StoredRecord } from '../spec/error-record.js';
import type { ObjectStore, RecordCounts } from './objects.js';

/** A journal entry: one change of an error record. (broadcastId, fence, number) is unique and ordered. */
export interface JournalEntry {
  readonly broadcastId: string;
  /** Increases with each new holder of the broadcast. */
  readonly fence: number;
  /** 1, 2, 3 … within (broadcastId, fence). */
  readonly number: number;
  readonly change: RecordChange;
}

/** First destination of record changes. */
export interface ErrorSink {
  /**
   * Never blocks, throws or rejects. Resolves, in the order of the calls, with the entries that may be pushed to the encoder: a
   * file or the store has them. What is lost is not among them.
   */
  append(entries: readonly JournalEntry[]): Promise<readonly JournalEntry[]>;
  /**
   * Resolves with true when the store has all records of the broadcast that were appended here until now, with false on a
   * timeout. `undefined` if nothing is pending.
   */
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined;
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
  /** Throws an error with code STORE_GAP if an entry's predecessor was not applied, because a failover lost it. */
  readonly refuseGaps?: boolean;
}

export interface RecordStore {
  /**
   * Applies entries in order, each once: an entry whose number is not above the last applied one of its (broadcast,
   * fence) changes nothing. Assigns a sequence to each new record and a revision to each change, and returns the changed
   * records as stored. Records beyond 10,000 in one broadcast are only counted, and entries after `delete` change nothing.
   */
  append(entries: readonly JournalEntry[], options?: AppendOptions): Promise<StoredRecord[]>;
  page(broadcastId: string, query: RecordQuery): Promise<RecordPage>;
  get(broadcastId: string, id: string): Promise<StoredRecord | undefined>;
  /** Number of all records, of open ones, and of those that were only counted. */
  counts(broadcastId: string): Promise<RecordCounts>;
  delete(broadcastId: string): Promise<void>;
  /** Keeps the records at least until `untilMs`. */
  keepUntil(broadcastId: string, untilMs: number): Promise<void>;
}

export interface Lease {
  readonly key: string;
  readonly holder: string;
  /** Increases with every new holder of the key and never decreases. */
  readonly fence: number;
}

export interface LeaseStore {
  /** `undefined` if another holder has it. Renews it for the same holder. Uses the clock of the store. */
  acquire(key: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** False if the lease was lost. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Reclaims a lease that expired while the store was unavailable. False if the key had another holder since. */
  reclaim(lease: Lease, ttlMs: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  holder(key: string): Promise<Lease | undefined>;
  /** Gives the lease of a silent holder to `holder`. `undefined` if `from` is no longer the current lease. */
  takeOver(from: Lease, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** Sign of life of a holder. Those of all holders are stored together: they fail and return together. */
  proveAlive(holder: string, ttlMs: number): Promise<void>;
  /** False once the last sign of life is older than its `ttlMs`, and for a holder that gave none. */
  isAlive(holder: string): Promise<boolean>;
}

export interface Bus {
  publish(topic: string, message: unknown): void;
  /** Returns the function that unsubscribes. Messages of one publisher on one topic arrive in order. */
  subscribe(topic: string, listener: (message: unknown, topic: string) => void): () => void;
}

/** Values with an expiry: judges' states, stream health. They survive the process; a killed one may lose the last second. */
export interface VolatileStore {
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  get(key: string): Promise<unknown>;
  /** Sets a value of a group that holds at most `max`: the one set longest ago makes room, and no value outside the group. */
  setIn(group: string, key: string, value: unknown, bounds: GroupBounds): Promise<void>;
  getIn(group: string, key: string): Promise<unknown>;
}

/** Bounds for all values of a group. */
export interface GroupBounds {
  readonly max: number;
  readonly ttlMs: number;
}

export interface Store {
  readonly objects: ObjectStore;
  readonly records: RecordStore;
  readonly leases: LeaseStore;
  readonly volatile: VolatileStore;
  readonly bus: Bus;
  /** Several processes may have it open; it can be unavailable while they run. */
  readonly isShared: boolean;
  /**
   * Servers on several machines may share it over a network. Its server may then fail over to a replica that lacks the last
   * acknowledged writes.
   */
  readonly spansMachines: boolean;
  /** For metrics: `lmdb`, `redis`. */
  readonly name: string;
  /** The underlying client, for libraries that send their own commands. Absent for LMDB. */
  readonly client?: object;
  /** Resolves if a trivial write and read succeed; rejects with StoreUnavailableError. */
  ping(): Promise<void>;
  /** Called whenever the process or server behind the store is lost or restored; never for a store of this process alone. */
  onAvailability(listener: (available: boolean) => void): () => void;
  close(): Promise<void>;
}
