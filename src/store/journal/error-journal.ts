/**
 * Journal first, push second, store third (DESIGN, decision 6). What rules raise in one turn of the event loop goes to the
 * process's journal file in one write; then it is pushed to the encoder; then it is carried to the store. Killing the
 * process at any moment costs no pushed record: the file outlives it and the next start carries it on.
 *
 * The journal is not flushed to the disk at each write: it outlives the process, not a power cut.
 */
import { join } from 'node:path';
import type { Clock, JournalEntry, Log, Store } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { requireEntry } from '../shared/record-rules.js';
import { Backlog, type Owed } from './backlog.js';
import { Drain } from './drain.js';
import type { NumberedEntry } from './frames.js';
import { PendingWrites } from './pending-writes.js';
import { Segments } from './segments.js';

/** A failover of Redis loses at most what it took in the last seconds; two minutes are ample. */
const KEPT_AFTER_REDIS_MS = 120_000;
const SEGMENT_BYTES = 4 * 1_024 * 1_024;
/** Beyond that the disk counts as full. */
const JOURNAL_BYTES_MAX = 1_024 * 1_024 * 1_024;
/** About 16 MB of records; more are read back from the file when their turn comes. */
const MEMORY_ENTRIES_MAX = 8_192;

export interface ErrorJournalOptions {
  /** Files live in `<dataDir>/journal`. */
  readonly dataDir: string;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  /** The entries are safe: push them. In the order of `record`, once each. */
  readonly onJournalled: (entries: readonly JournalEntry[]) => void;
  /** Records that the store has taken or changed: publish them. A reader that missed some resumes by revision. */
  readonly onStored: (records: readonly StoredRecord[]) => void;
  readonly keptMs?: number;
  readonly segmentBytes?: number;
  readonly journalBytesMax?: number;
  readonly memoryEntriesMax?: number;
}

export class ErrorJournal {
  readonly #options: ErrorJournalOptions;
  readonly #log: Log;
  readonly #segments: Segments;
  readonly #backlog: Backlog;
  readonly #drain: Drain;
  readonly #stopListening: () => void;
  #running: Promise<void> = Promise.resolve();
  #turn: JournalEntry[] = [];
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #ordinal = 0;
  #storedOrdinal = 0;
  #owed = 0;
  #dropped = 0;
  #diskRefuses = false;
  #closed = false;
  readonly #settled = new Set<() => void>();
  readonly #pendingWrites = new PendingWrites();

  /** Takes over what dead processes have left in the folder, and starts carrying it to the store. */
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
      folder: join(options.dataDir, 'journal'),
      log: options.log,
      clock: options.clock,
      keptMs: options.keptMs ?? (options.store.isShared ? KEPT_AFTER_REDIS_MS : 0),
      segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
      journalBytesMax: options.journalBytesMax ?? JOURNAL_BYTES_MAX,
      isRead: (segment) => this.#backlog.reads(segment),
      onAdopted: () => this.#drain.wake(),
    });
    this.#backlog = new Backlog(this.#segments.own, options.memoryEntriesMax ?? MEMORY_ENTRIES_MAX);
    this.#drain = new Drain(
      options.store.records,
      this.#backlog,
      this.#segments.adopted,
      {
        stored: (owed) => this.#stored(owed),
        rewound: () => this.#segments.rewound(),
        records: (records) => this.#tell('onStored', () => options.onStored(records)),
        gaveUp: (entry, error) => {
          this.#dropped += 1;
          this.#log.error({ error, record: entry.change.body.id }, 'the store refuses an error record');
        },
      },
      options.log,
      () => options.clock.monotonicMs(),
    );
    this.#stopListening = options.store.onAvailability((available) => {
      if (available) this.#drain.offerAgain();
    });
  }

  /** Entries recorded here that the store does not have yet. */
  get pending(): number {
    return this.#owed;
  }

  /** Entries that were lost: neither the disk nor the store had room for so long. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes an entry; returns at once and never throws. `onJournalled` follows when it is safe. */
  record(entry: JournalEntry): void {
    if (!this.#takes(entry)) return;
    this.#turn.push(entry);
    this.#owed += 1;
    this.#pendingWrites.recorded(entry.broadcastId);
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#write();
    });
  }

  /**
   * For whoever reads the broadcast's records from the store: resolves when all that was recorded here until now is
   * there, or false when that took too long. `undefined`: nothing is under way.
   */
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined {
    return this.#pendingWrites.wait(broadcastId, timeoutMs);
  }

  /** Waits until the store has all, at most so long. Answers with what it does not have. */
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

  /** Writes what was recorded and closes. What the store does not have stays in the files for the next start. */
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
    this.#pendingWrites.close();
  }

  #takes(entry: JournalEntry): boolean {
    try {
      requireEntry(entry);
      if (!this.#closed) return true;
      this.#log.error({ record: entry.change.body.id }, 'an error record came after its journal was closed');
    } catch (error) {
      this.#log.error({ error, record: entry.change.body.id }, 'an error record cannot be stored');
    }
    this.#dropped += 1;
    return false;
  }

  #write(): void {
    const entries = this.#turn;
    this.#turn = [];
    if (entries.length === 0) return;
    const numbered = entries.map((entry) => {
      this.#ordinal += 1;
      return { ordinal: this.#ordinal, entry };
    });
    this.#writing = this.#toDisk(numbered).then((journalled) => {
      this.#writing = undefined;
      if (journalled) this.#tell('onJournalled', () => this.#options.onJournalled(entries));
      this.#drain.wake();
      if (this.#turn.length > 0) this.#write();
    });
  }

  /** True when the entries are in the file; else they wait for the store to take them. */
  async #toDisk(entries: readonly NumberedEntry[]): Promise<boolean> {
    try {
      const { segment, offset } = await this.#segments.append(entries);
      this.#backlog.journalled(entries, segment, offset);
      if (this.#diskRefuses)
        this.#log.info({ folder: this.#segments.folder }, 'the error journal can be written again');
      this.#diskRefuses = false;
      return true;
    } catch (error) {
      this.#refused(entries, error);
      return false;
    }
  }

  #refused(entries: readonly NumberedEntry[], error: unknown): void {
    if (!this.#diskRefuses) {
      this.#log.error(
        { error, folder: this.#segments.folder },
        'the error journal cannot be written: errors are pushed once the store has them',
      );
    }
    this.#diskRefuses = true;
    for (const entry of entries) {
      if (this.#backlog.refusedByDisk(entry)) continue;
      if (this.#dropped === 0) this.#log.error({}, 'neither the disk nor the store takes error records: some are lost');
      this.#dropped += 1;
      this.#owed -= 1;
      this.#pendingWrites.settled(entry.entry.broadcastId);
    }
  }

  #stored(owed: readonly Owed[]): void {
    const late = owed.filter(({ unjournalled }) => unjournalled).map(({ entry }) => entry);
    if (late.length > 0) this.#tell('onJournalled', () => this.#options.onJournalled(late));
    const last = owed.at(-1)?.ordinal ?? 0;
    // What is offered again was counted the first time.
    const fresh = owed.filter(({ ordinal }) => ordinal > this.#storedOrdinal);
    this.#owed -= fresh.length;
    for (const { entry } of fresh) this.#pendingWrites.settled(entry.broadcastId);
    this.#storedOrdinal = Math.max(this.#storedOrdinal, last);
    this.#segments.stored(this.#storedOrdinal);
    if (this.#owed === 0) for (const done of [...this.#settled]) done();
  }

  #tell(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ error, what }, 'a listener of the error journal failed');
    }
  }
}
