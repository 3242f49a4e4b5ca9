/**
 * The write-ahead journal of error records (docs/decisions/0005-journal-push-store.md). The records of a packet, and those
 * that came during the write before, go to the journal file in one write, then to the encoder, then to the store. Killing
 * the process at any moment loses no pushed record: the next start reads the file and continues.
 *
 * Writes are not fsynced: the journal survives a crash of the process, not a power failure.
 */
import * as nodeFiles from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  type ErrorSink,
  type JournalEntry,
  type Log,
  type Store,
  TOPIC,
  toBeClosed,
} from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { requireEntry } from '../shared/record-rules.js';
import { Backlog, type PendingEntry } from './backlog.js';
import { Drain } from './drain.js';
import type { NumberedEntry } from './frames.js';
import type { PendingMark } from './pending-mark.js';
import { PendingWrites } from './pending-writes.js';
import type { JournalFiles } from './segment.js';
import { Segments } from './segments.js';

/** A failover of Redis loses at most the writes of the last seconds; two minutes are ample. */
const KEPT_AFTER_REDIS_MS = 120_000;
const SEGMENT_BYTES = 4 * 1_024 * 1_024;
/** Above this the disk counts as full. */
const JOURNAL_BYTES_MAX = 1_024 * 1_024 * 1_024;
/** About 16 MB of records; entries beyond that are read back from the files. */
const MEMORY_ENTRIES_MAX = 8_192;

export interface ErrorJournalOptions {
  /** Files live in `<dataDir>/journal`. */
  readonly dataDir: string;
  /** Has the records in the end, and the bus on which changed ones are published. */
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  /** For readers in other processes of this machine. */
  readonly mark?: PendingMark;
  readonly keptMs?: number;
  readonly segmentBytes?: number;
  readonly journalBytesMax?: number;
  readonly memoryEntriesMax?: number;
  /** Absent: those of the machine. */
  readonly files?: JournalFiles;
}

/** Entries of one `append`. */
interface Appended {
  readonly written: JournalEntry[];
  /** Entries that are neither durable nor dropped yet. */
  left: number;
  readonly resolve: (written: readonly JournalEntry[]) => void;
}

interface Accepted extends NumberedEntry {
  readonly appended: Appended;
}

export class ErrorJournal implements ErrorSink {
  readonly #options: ErrorJournalOptions;
  readonly #log: Log;
  readonly #segments: Segments;
  readonly #backlog: Backlog;
  readonly #drain: Drain;
  readonly #stopListening: () => void;
  #running: Promise<void> = Promise.resolve();
  #turn: Accepted[] = [];
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #ordinal = 0;
  #storedOrdinal = 0;
  #owed = 0;
  #owedSinceMs = 0;
  #dropped = 0;
  #diskRefuses = false;
  #closed = false;
  /** Entries that the disk refused, by ordinal: they are durable once the store has them. */
  readonly #refusedByDisk = new Map<number, Appended>();
  /** Records raised and cleared here, by code of the error catalogue. */
  readonly violations: { readonly raised: Record<string, number>; readonly cleared: Record<string, number> } = {
    raised: {},
    cleared: {},
  };
  readonly #settled = new Set<() => void>();
  readonly #pendingWrites = new PendingWrites();

  /** Adopts the files of dead processes in the folder and starts writing to the store. */
  static async open(options: ErrorJournalOptions): Promise<ErrorJournal> {
    const journal = new ErrorJournal(options);
    await journal.#segments.open();
    journal.#drain.wake();
    journal.#running = journal.#drain.run();
    return journal;
  }

  private constructor(options: ErrorJournalOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#segments = new Segments({
      files: options.files ?? nodeFiles,
      folder: join(options.dataDir, 'journal'),
      log: options.log,
      clock: options.clock,
      keptMs: options.keptMs ?? (options.store.spansMachines ? KEPT_AFTER_REDIS_MS : 0),
      segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
      journalBytesMax: options.journalBytesMax ?? JOURNAL_BYTES_MAX,
      isRead: (segment) => this.#backlog.reads(segment),
      wake: () => this.#drain.wake(),
    });
    this.#backlog = new Backlog(this.#segments.own, options.memoryEntriesMax ?? MEMORY_ENTRIES_MAX);
    this.#drain = new Drain(
      options.store.records,
      this.#backlog,
      this.#segments.adopted,
      {
        stored: (owed) => this.#stored(owed),
        owedForMs: () => this.#options.clock.monotonicMs() - this.#owedSinceMs,
        rewound: () => this.#segments.rewound(),
        late: (ids) => options.store.objects.commit(ids.map((id) => toBeClosed(id, options.clock.wallMs()))),
        records: (records) => this.#announce(records),
        gaveUp: (entry, error) => {
          this.#dropped += 1;
          this.#log.error({ error, record: entry.change.body.id }, 'the store rejected an error record');
        },
      },
      options.log,
      () => options.clock.monotonicMs(),
    );
    this.#stopListening = options.store.onAvailability((available) => {
      if (available) this.#drain.offerAgain();
    });
  }

  /** Number of entries recorded here that the store does not have yet. */
  get pending(): number {
    return this.#owed;
  }

  /** Number of lost entries: rejected, or neither the disk nor the store had room for them. */
  get dropped(): number {
    return this.#dropped;
  }

  append(entries: readonly JournalEntry[]): Promise<readonly JournalEntry[]> {
    const accepted = entries.filter((entry) => this.#accepts(entry));
    if (accepted.length === 0) return Promise.resolve([]);
    return new Promise((resolve) => {
      const appended: Appended = { written: [], left: accepted.length, resolve };
      for (const entry of accepted) {
        this.#ordinal += 1;
        if (this.#owed === 0) this.#owedSinceMs = this.#options.clock.monotonicMs();
        this.#owed += 1;
        this.#pendingWrites.recorded(entry.broadcastId);
        this.#turn.push({ ordinal: this.#ordinal, entry, appended });
      }
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    // Not at the end of the turn: other connections that are ready would be read before the write begins.
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#write();
    });
  }

  /**
   * For readers of the broadcast's records: resolves with true when the store has everything recorded here until now, with
   * false on a timeout. `undefined` if nothing is pending.
   */
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined {
    return this.#pendingWrites.wait(broadcastId, timeoutMs);
  }

  /** Waits until the store has all entries, for at most `timeoutMs`. Returns the number of entries still pending. */
  async flush(timeoutMs: number): Promise<number> {
    if (this.#owed === 0) return 0;
    this.#drain.hurry();
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#settled.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#settled.add(done);
    });
    return this.#owed;
  }

  /** Writes the recorded entries and closes. Entries that the store does not have stay in the files for the next start. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#segments.stop();
    this.#stopListening();
    if (this.#turn.length > 0) this.#write();
    await this.#writing;
    this.#drain.close();
    await this.#running;
    await this.#segments.close(this.#owed === 0);
    for (const done of [...this.#settled]) done();
    for (const { written, resolve } of this.#refusedByDisk.values()) resolve(written);
    this.#pendingWrites.close();
    await this.#options.mark?.close();
  }

  #accepts(entry: JournalEntry): boolean {
    try {
      requireEntry(entry);
      if (!this.#closed) return true;
      this.#log.error({ record: entry.change.body.id }, 'an error record arrived after its journal was closed');
    } catch (error) {
      this.#log.error({ error, record: entry.change.body.id }, 'invalid error record');
    }
    this.#dropped += 1;
    return false;
  }

  #write(): void {
    const accepted = this.#turn;
    this.#turn = [];
    if (accepted.length === 0) return;
    this.#writing = this.#toDisk(accepted)
      .then((isJournalled) => {
        if (isJournalled) for (const each of accepted) this.#isDurable(each.entry, each.appended);
      })
      // What waits for the entries runs before the store gets them.
      .then(() => {
        this.#writing = undefined;
        this.#drain.wake();
        if (this.#turn.length > 0) this.#write();
      });
  }

  #isDurable(entry: JournalEntry, appended: Appended): void {
    const { change, body } = entry.change;
    const counts = change === 'raised' ? this.violations.raised : this.violations.cleared;
    if (change !== 'counted') counts[body.error_code] = (counts[body.error_code] ?? 0) + 1;
    appended.written.push(entry);
    settle(appended);
  }

  /** True if the entries are in the file; otherwise they wait in memory for the store. */
  async #toDisk(accepted: readonly Accepted[]): Promise<boolean> {
    try {
      // At once: with all processors busy, each write waits for a thread and then for the loop.
      const { segment, offset } = await this.#segments.append(accepted, this.#options.mark?.set());
      this.#backlog.journalled(accepted, segment, offset);
      if (this.#diskRefuses)
        this.#log.info({ folder: this.#segments.folder }, 'the error journal can be written again');
      this.#diskRefuses = false;
      return true;
    } catch (error) {
      this.#refused(accepted, error);
      return false;
    }
  }

  #refused(accepted: readonly Accepted[], error: unknown): void {
    if (!this.#diskRefuses) {
      this.#log.error(
        { error, folder: this.#segments.folder },
        'the error journal cannot be written: errors are pushed once the store has them',
      );
    }
    this.#diskRefuses = true;
    for (const { ordinal, entry, appended } of accepted) {
      if (this.#backlog.refusedByDisk({ ordinal, entry })) {
        this.#refusedByDisk.set(ordinal, appended);
        continue;
      }
      if (this.#dropped === 0)
        this.#log.error({}, 'neither the disk nor the store accepts error records: some are lost');
      this.#dropped += 1;
      this.#owed -= 1;
      this.#pendingWrites.settled(entry.broadcastId);
      settle(appended);
    }
    if (this.#owed === 0) this.#options.mark?.clear();
  }

  #stored(owed: readonly PendingEntry[]): void {
    for (const { ordinal, entry } of owed) {
      const appended = this.#refusedByDisk.get(ordinal);
      if (appended === undefined) continue;
      this.#refusedByDisk.delete(ordinal);
      this.#isDurable(entry, appended);
    }
    const last = owed.at(-1)?.ordinal ?? 0;
    // Entries that were offered again have been counted already.
    const fresh = owed.filter(({ ordinal }) => ordinal > this.#storedOrdinal);
    this.#owed -= fresh.length;
    this.#owedSinceMs = this.#options.clock.monotonicMs();
    for (const { entry } of fresh) this.#pendingWrites.settled(entry.broadcastId);
    this.#storedOrdinal = Math.max(this.#storedOrdinal, last);
    this.#segments.stored(this.#storedOrdinal);
    if (this.#owed > 0) return;
    this.#options.mark?.clear();
    for (const done of [...this.#settled]) done();
  }

  /** Publishes the changed records to every process, by broadcast. A reader that missed some resumes by revision. */
  #announce(records: readonly StoredRecord[]): void {
    const { bus } = this.#options.store;
    const byBroadcast = new Map<string, StoredRecord[]>();
    for (const record of records) {
      // IDs are `<live-video-id>_<fence>_<number>`.
      const broadcastId = record.id.slice(0, record.id.indexOf('_'));
      const changed = byBroadcast.get(broadcastId);
      if (changed === undefined) byBroadcast.set(broadcastId, [record]);
      else changed.push(record);
    }
    for (const [broadcastId, changed] of byBroadcast) bus.publish(TOPIC.records, { broadcastId, records: changed });
  }
}

/** One entry more is durable or dropped. */
function settle(appended: Appended): void {
  appended.left -= 1;
  if (appended.left === 0) appended.resolve(appended.written);
}
