/**
 * Writes entries from the journal to the store, in order within a broadcast, retrying until the store has them. A failover
 * of Redis may lose acknowledged writes; then, and after every reconnect, all retained entries are offered again and the
 * store applies those that it lacks.
 */

import { codeOf } from '../../lib/errors.js';
import { type JournalEntry, type Log, type RecordStore, StoreUnavailableError } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import type { Backlog, PendingEntry } from './backlog.js';
import { MAGIC } from './frames.js';
import type { Segment } from './segment.js';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;

/** Exponential backoff with jitter; `hurry` ends a wait early. */
class Backoff {
  #attempt = 0;
  #wake: (() => void) | undefined;

  succeeded(): void {
    this.#attempt = 0;
  }

  /** Resolves after the wait, or at `hurry`. */
  wait(): Promise<void> {
    const fullMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#attempt, 16), LONGEST_WAIT_MS);
    this.#attempt += 1;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, fullMs * (0.5 + Math.random() / 2));
      this.#wake = done;
    });
  }

  hurry(): void {
    this.#wake?.();
  }
}

/** An LMDB transaction runs on the event loop: a batch of this size blocks it for 2 to 3 ms. */
const BATCH_ENTRIES = 100;
/** Shorter than the open records of a broadcast that is over wait for their close (10 s): the disk was slow, or the process stood still. */
const LATE_MS = 5_000;
/** Attempts before an entry is dropped that the store rejects while it is available. */
const ATTEMPTS_AT_FAULTY = 3;

export interface DrainEvents {
  /** The store has these entries of the journal's own. */
  readonly stored: (owed: readonly PendingEntry[]) => void;
  /** For how long entries have waited here, or since the store took the last ones. */
  readonly owedForMs: () => number;
  /** Everything in the files is offered again: no file may be removed yet. */
  readonly rewound: () => void;
  readonly records: (records: readonly StoredRecord[]) => void;
  /** To be called before the store gets entries late: their broadcasts may be over, and would leave them open. */
  readonly late: (broadcastIds: readonly string[]) => Promise<void>;
  /** The store rejects the entry; it is dropped. */
  readonly gaveUp: (entry: JournalEntry, error: unknown) => void;
}

export class Drain {
  readonly #store: RecordStore;
  readonly #backlog: Backlog;
  /** Files left by other journals, in order; the journal removes them. */
  readonly #adopted: readonly Segment[];
  readonly #events: DrainEvents;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #backoff = new Backoff();
  /** Gaps that the journal cannot fill, and the (broadcast, fence) that they concern. */
  readonly #unfillable = new Set<string>();
  #again = false;
  /** Entries are offered again that the store had. */
  #isRewound = false;
  #storeRejects = false;
  #faults = 0;
  #closed = false;
  #wake: (() => void) | undefined;
  /** `wake` was called since the last step. */
  #news = true;

  constructor(
    store: RecordStore,
    backlog: Backlog,
    adopted: readonly Segment[],
    events: DrainEvents,
    log: Log,
    nowMs: () => number,
  ) {
    this.#store = store;
    this.#backlog = backlog;
    this.#adopted = adopted;
    this.#events = events;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Signals new entries. */
  wake(): void {
    this.#news = true;
    this.#wake?.();
  }

  /** Retries at once if it is waiting for the store. */
  hurry(): void {
    this.#backoff.hurry();
  }

  /** Call after the store reconnected or changed its nodes. */
  offerAgain(): void {
    this.#again = true;
    this.#backoff.hurry();
    this.wake();
  }

  close(): void {
    this.#closed = true;
    this.#backoff.hurry();
    this.wake();
  }

  /** Runs until `close`. */
  async run(): Promise<void> {
    while (!this.#closed) {
      if (this.#again) this.#rewind();
      this.#news = false;
      try {
        if (!(await this.#step())) await this.#rest();
      } catch (error) {
        // Reading a journal file failed: the entries stay in the file.
        this.#log.error({ error }, 'reading the error journal failed');
        await this.#backoff.wait();
      }
    }
  }

  /** False if there was nothing to do. */
  async #step(): Promise<boolean> {
    const left = this.#adopted.find((segment) => segment.storedAtMs === undefined);
    if (left !== undefined) {
      await this.#stepAdopted(left);
      return true;
    }
    const owed = await this.#backlog.next(BATCH_ENTRIES);
    if (owed.length === 0) {
      this.#isRewound = false;
      return false;
    }
    const isLate = this.#storeRejects || this.#isRewound || this.#events.owedForMs() > LATE_MS;
    const entries = owed.map(({ entry }) => entry);
    if (!(await this.#offer(entries, isLate))) return true;
    this.#backlog.stored(owed.at(-1)?.ordinal ?? 0);
    this.#events.stored(owed);
    return true;
  }

  async #stepAdopted(segment: Segment): Promise<void> {
    const { entries, consumed } = await segment.read(segment.drained);
    if (entries.length === 0) {
      segment.storedAtMs = this.#nowMs();
      const tornBytes = segment.size - segment.drained;
      if (tornBytes > 0)
        this.#log.warn({ file: segment.path, tornBytes }, 'truncated journal file: ends inside a frame');
      return;
    }
    const left = entries.map(({ entry }) => entry);
    if (await this.#offer(left, true)) segment.drained += consumed;
  }

  #rewind(): void {
    this.#again = false;
    this.#isRewound = true;
    this.#backlog.offerAgain();
    this.#events.rewound();
    for (const segment of this.#adopted) {
      segment.drained = MAGIC.length;
      segment.storedAtMs = undefined;
    }
  }

  async #rest(): Promise<void> {
    if (this.#news) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  /** True if the store has all of them; otherwise the caller retries. */
  async #offer(entries: readonly JournalEntry[], isLate: boolean): Promise<boolean> {
    const byBroadcast = new Map<string, JournalEntry[]>();
    for (const entry of entries) {
      const group = byBroadcast.get(entry.broadcastId);
      if (group === undefined) byBroadcast.set(entry.broadcastId, [entry]);
      else group.push(entry);
    }
    const unlisted = isLate ? await this.#listed([...byBroadcast.keys()]) : undefined;
    const appended =
      unlisted === undefined ? [...byBroadcast.values()].map((group) => this.#append(group)) : [unlisted];
    const errors = (await Promise.all(appended)).filter((error) => error !== undefined);
    if (errors.length === 0) {
      if (this.#storeRejects) this.#log.info({}, 'the store accepts error records again');
      this.#storeRejects = false;
      this.#backoff.succeeded();
      return true;
    }
    if (this.#again) return false;
    if (!this.#storeRejects)
      this.#log.warn({ error: errors[0] }, 'the store does not accept error records; they wait in the journal');
    this.#storeRejects = true;
    await this.#backoff.wait();
    return false;
  }

  /** Returns the error of a store that is away. */
  async #listed(broadcastIds: readonly string[]): Promise<unknown> {
    try {
      await this.#events.late(broadcastIds);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return error;
      this.#log.error({ error }, 'broadcasts with late error records could not be listed');
    }
    return undefined;
  }

  /** Returns the error, if any, instead of throwing it. */
  async #append(entries: readonly JournalEntry[]): Promise<unknown> {
    try {
      const gapKnown = entries.some((entry) => this.#unfillable.has(`${entry.broadcastId}/${entry.fence}`));
      this.#records(await this.#store.append(entries, { refuseGaps: !gapKnown }));
      this.#faults = 0;
      return undefined;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return error;
      if (codeOf(error) === 'STORE_GAP') return this.#gap(entries, error);
      this.#faults += 1;
      if (this.#faults < ATTEMPTS_AT_FAULTY) return error;
      return this.#oneByOne(entries);
    }
  }

  /** On the first gap all retained entries are offered again; entries that are still missing then are lost. */
  #gap(entries: readonly JournalEntry[], error: unknown): unknown {
    const first = entries[0];
    if (first === undefined) return undefined;
    const key = `${first.broadcastId}: ${error instanceof Error ? error.message : ''}`;
    if (this.#unfillable.has(key)) {
      for (const entry of entries) this.#unfillable.add(`${entry.broadcastId}/${entry.fence}`);
      this.#log.error({ error }, 'the store lost error records that the journal no longer has');
    } else {
      this.#unfillable.add(key);
    }
    this.#again = true;
    return error;
  }

  async #oneByOne(entries: readonly JournalEntry[]): Promise<unknown> {
    for (const entry of entries) {
      try {
        this.#records(await this.#store.append([entry]));
      } catch (error) {
        if (error instanceof StoreUnavailableError) return error;
        this.#events.gaveUp(entry, error);
      }
    }
    this.#faults = 0;
    return undefined;
  }

  #records(records: readonly StoredRecord[]): void {
    if (records.length > 0) this.#events.records(records);
  }
}
