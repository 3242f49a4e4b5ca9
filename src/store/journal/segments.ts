/**
 * The files of one journal: the active one, older ones, and those adopted from dead processes. A file is removed when the
 * store has had all its entries for the retention time.
 */
import { join } from 'node:path';
import { codeOf } from '../../lib/errors.js';
import type { Clock, Log } from '../../ports/index.js';
import { HEARTBEAT_MS } from '../shared/process-identity.js';
import { encodeFrame, type NumberedEntry } from './frames.js';
import { type JournalFiles, Segment } from './segment.js';
import { closeInstance, isLeftOver, openInstance, parseSegmentFileName, segmentFileName } from './segment-name.js';

export interface SegmentsOptions {
  readonly files: JournalFiles;
  readonly folder: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Retention of a file after the store has all its entries. */
  readonly keptMs: number;
  /** Size at which a new file is started. */
  readonly segmentBytes: number;
  /** Total size of the files above which the disk counts as full. */
  readonly journalBytesMax: number;
  /** The backlog still reads the file. */
  readonly isRead: (segment: Segment) => boolean;
  /** Wakes the drain, for a file of a dead process that was adopted. */
  readonly wake: () => void;
}

export class Segments {
  readonly #options: SegmentsOptions;
  readonly #own: Segment[] = [];
  readonly #adopted: Segment[] = [];
  readonly #instance = openInstance();
  #fileNumber = 0;
  #active: Segment | undefined;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #tidyFails = false;
  #closed = false;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** The journal's own files, oldest first. */
  get own(): readonly Segment[] {
    return this.#own;
  }

  /** Adopted files, oldest first. */
  get adopted(): readonly Segment[] {
    return this.#adopted;
  }

  /** Adopts files of dead processes, now and periodically. */
  async open(): Promise<void> {
    await this.#options.files.mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    await this.#adopt();
    this.#timer = setInterval(() => this.#tidy(), HEARTBEAT_MS).unref();
  }

  /** Stops adopting and removing files; entries are still written. */
  stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  /** Call after `stop`. `isDone`: the store has all entries; otherwise all files stay for the next start. */
  async close(isDone: boolean): Promise<void> {
    const isDrained = isDone && this.#adopted.every((segment) => segment.storedAtMs !== undefined);
    for (const segment of [...this.#adopted, ...this.#own]) {
      // A failover of Redis may lose recent writes: the next start offers them again.
      if (isDrained && this.#options.keptMs === 0) await segment.remove();
      else await segment.close();
    }
    closeInstance(this.#instance);
  }

  // ---------------------------------------------------------------- appending

  /** Appends entries in one write, and nothing if `beside` rejects; one call at a time. Returns where they begin. */
  async append(
    entries: readonly NumberedEntry[],
    beside?: Promise<unknown>,
  ): Promise<{ readonly segment: Segment; readonly offset: number }> {
    this.#isWriting = true;
    try {
      const bytes = Buffer.concat(entries.map(encodeFrame));
      const segment = await this.#withRoom(bytes.length);
      const offset = segment.size;
      await segment.append(bytes, beside);
      segment.firstOrdinal ||= entries[0]?.ordinal ?? 0;
      segment.lastOrdinal = entries.at(-1)?.ordinal ?? segment.lastOrdinal;
      // It has grown: the store has all of it no more, and it must not be removed.
      segment.storedAtMs = undefined;
      return { segment, offset };
    } finally {
      this.#isWriting = false;
    }
  }

  async #withRoom(bytes: number): Promise<Segment> {
    const { segmentBytes, journalBytesMax } = this.#options;
    if (this.#active !== undefined && this.#active.size + bytes > segmentBytes) this.#active = undefined;
    const held = [...this.#own, ...this.#adopted].reduce((sum, segment) => sum + segment.size, bytes);
    if (held > journalBytesMax) throw new Error(`the error journal has grown to ${held} bytes`);
    if (this.#active === undefined) {
      this.#active = await Segment.create(this.#options.files, this.#nextPath(), this.#nowMs());
      this.#own.push(this.#active);
    }
    return this.#active;
  }

  // ---------------------------------------------------------------- stored entries

  /** The store has the journal's own entries up to this ordinal. */
  stored(ordinal: number): void {
    const nowMs = this.#nowMs();
    for (const segment of this.#own) {
      if (segment.lastOrdinal > 0 && segment.lastOrdinal <= ordinal) segment.storedAtMs ??= nowMs;
      // The file has grown since all its entries were stored.
      else segment.storedAtMs = undefined;
    }
  }

  /** All own entries are offered again: no file may be removed yet. */
  rewound(): void {
    for (const segment of this.#own) segment.storedAtMs = undefined;
  }

  // ---------------------------------------------------------------- housekeeping

  /** Removes expired files, writes the heartbeat, and looks for files of dead processes. */
  #tidy(): void {
    const { log, clock } = this.#options;
    if (this.#active !== undefined && !this.#isWriting && this.#isDue(this.#active)) this.#active = undefined;
    for (const list of [this.#own, this.#adopted]) {
      for (const segment of list.filter((each) => each !== this.#active && this.#isDue(each))) {
        list.splice(list.indexOf(segment), 1);
        segment.remove().catch((error: unknown) => log.warn({ error }, 'removing a drained journal file failed'));
      }
    }
    const now = new Date(clock.wallMs());
    Promise.all([...this.#own, ...this.#adopted].map((segment) => segment.touch(now)))
      .then(() => this.#adopt())
      .then(
        () => {
          this.#tidyFails = false;
        },
        (error: unknown) => {
          if (!this.#tidyFails) log.warn({ error }, 'tidying the error journal failed');
          this.#tidyFails = true;
        },
      );
  }

  #isDue(segment: Segment): boolean {
    const { keptMs, isRead } = this.#options;
    return segment.storedAtMs !== undefined && this.#nowMs() - segment.storedAtMs >= keptMs && !isRead(segment);
  }

  async #adopt(): Promise<void> {
    const { files, folder, log, wake } = this.#options;
    const left = (await files.readdir(folder))
      .map((file) => ({ file, name: parseSegmentFileName(file) }))
      .sort((one, two) => (one.name?.number ?? 0) - (two.name?.number ?? 0));
    for (const { file, name } of left) {
      if (name === undefined || this.#closed) continue;
      const path = join(folder, file);
      try {
        if (!isLeftOver(name, (await files.stat(path)).mtimeMs, this.#options.clock.wallMs())) continue;
        const own = this.#nextPath();
        await files.rename(path, own);
        const segment = await Segment.adopt(files, own, this.#nowMs());
        if (segment === undefined) continue;
        if (this.#closed) {
          await segment.close();
          return;
        }
        this.#adopted.push(segment);
        log.info({ file, bytes: segment.size }, 'adopted a journal file of a dead process');
        wake();
      } catch (error) {
        // ENOENT: another process adopted it first.
        if (codeOf(error) !== 'ENOENT') log.error({ error, file }, 'reading the journal file of a dead process failed');
      }
    }
  }

  #nextPath(): string {
    this.#fileNumber += 1;
    return join(this.#options.folder, segmentFileName(this.#instance, this.#fileNumber));
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}
