/**
 * Carries entries from the journal to the store: in order within a broadcast, each until the store has it. A failover of
 * Redis may lose writes that it had taken; then, and after every reconnect, all that is kept is offered once more, and
 * the store takes what it lacks.
 */

import { codeOf } from '../../lib/errors.js';
import { type JournalEntry, type Log, type RecordStore, StoreUnavailableError } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import type { Backlog, Owed } from './backlog.js';
import { Backoff } from './backoff.js';
import { MAGIC } from './frames.js';
import type { Segment } from './segment.js';

/** An LMDB transaction runs on the event loop: so many entries hold it for 2 to 3 ms. */
const BATCH_ENTRIES = 100;
/** An entry that the store refuses for another reason than being away is given up after so many attempts. */
const ATTEMPTS_AT_FAULTY = 3;

export interface DrainEvents {
  /** The store has the entries of the journal's own up to this ordinal. */
  readonly stored: (owed: readonly Owed[]) => void;
  /** All that the files hold is being offered again: none of it may go yet. */
  readonly rewound: () => void;
  readonly records: (records: readonly StoredRecord[]) => void;
  /** No store will ever take it. */
  readonly gaveUp: (entry: JournalEntry, error: unknown) => void;
}

export class Drain {
  readonly #store: RecordStore;
  readonly #backlog: Backlog;
  /** Files that other journals have left, in order; the journal removes them. */
  readonly #adopted: readonly Segment[];
  readonly #events: DrainEvents;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #backoff = new Backoff();
  /** Lost entries that are not in the journal either: (broadcast, fence, last applied). */
  readonly #hopeless = new Set<string>();
  #again = false;
  #away = false;
  #faults = 0;
  #closed = false;
  #wake: (() => void) | undefined;
  /** Something came since the last look. */
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

  /** There is something new. */
  wake(): void {
    this.#news = true;
    this.#wake?.();
  }

  /** Tries at once if it is waiting for the store to come back. */
  hurry(): void {
    this.#backoff.hurry();
  }

  /** The store came back, or changed its nodes. */
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
        // Reading a journal file failed: the entries stay where they are.
        this.#log.error({ error }, 'reading the error journal failed');
        await this.#backoff.wait();
      }
    }
  }

  /** False when there was nothing to do. */
  async #step(): Promise<boolean> {
    const left = this.#adopted.find((segment) => segment.storedAtMs === undefined);
    if (left !== undefined) {
      await this.#stepLeft(left);
      return true;
    }
    const owed = await this.#backlog.next(BATCH_ENTRIES);
    if (owed.length === 0) return false;
    if (!(await this.#offer(owed.map(({ entry }) => entry)))) return true;
    this.#backlog.stored(owed.at(-1)?.ordinal ?? 0);
    this.#events.stored(owed);
    return true;
  }

  async #stepLeft(segment: Segment): Promise<void> {
    const { entries, consumed } = await segment.read(segment.drained);
    if (entries.length === 0) {
      segment.storedAtMs = this.#nowMs();
      const tornBytes = segment.size - segment.drained;
      if (tornBytes > 0) this.#log.warn({ file: segment.path, tornBytes }, 'a journal ends in the middle of a write');
      return;
    }
    if (await this.#offer(entries.map(({ entry }) => entry))) segment.drained += consumed;
  }

  #rewind(): void {
    this.#again = false;
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

  /** True when the store has all of them; else the caller comes again. */
  async #offer(entries: readonly JournalEntry[]): Promise<boolean> {
    const byBroadcast = new Map<string, JournalEntry[]>();
    for (const entry of entries) {
      const group = byBroadcast.get(entry.broadcastId);
      if (group === undefined) byBroadcast.set(entry.broadcastId, [entry]);
      else group.push(entry);
    }
    const errors = (await Promise.all([...byBroadcast.values()].map((group) => this.#append(group)))).filter(
      (error) => error !== undefined,
    );
    if (errors.length === 0) {
      if (this.#away) this.#log.info({}, 'error records go to the store again');
      this.#away = false;
      this.#backoff.succeeded();
      return true;
    }
    if (this.#again) return false;
    if (!this.#away)
      this.#log.warn({ error: errors[0] }, 'the store does not take error records; they wait in the journal');
    this.#away = true;
    await this.#backoff.wait();
    return false;
  }

  /** The error that came, if one came. */
  async #append(entries: readonly JournalEntry[]): Promise<unknown> {
    try {
      const gapKnown = entries.some((entry) => this.#hopeless.has(`${entry.broadcastId}/${entry.fence}`));
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

  /** The first time all that is kept is offered again; what is missing even then is gone. */
  #gap(entries: readonly JournalEntry[], error: unknown): unknown {
    const first = entries[0];
    if (first === undefined) return undefined;
    const key = `${first.broadcastId}: ${error instanceof Error ? error.message : ''}`;
    if (this.#hopeless.has(key)) {
      for (const entry of entries) this.#hopeless.add(`${entry.broadcastId}/${entry.fence}`);
      this.#log.error({ error }, 'the store lost error records that the journal no longer has');
    } else {
      this.#hopeless.add(key);
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
