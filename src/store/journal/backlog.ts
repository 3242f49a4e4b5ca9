/**
 * Entries of a journal that the store does not have yet, in order. Normally they wait in memory; past a bound, or when
 * everything is offered again, they are read back from the files. Entries that could not be written to a file always
 * wait in memory, in order with the others.
 */
import { MAGIC, type NumberedEntry } from './frames.js';
import type { Segment } from './segment.js';

export interface PendingEntry extends NumberedEntry {
  /** Not in any file: it is pushed to the encoder once the store has it. */
  readonly unjournalled: boolean;
}

interface ReadPosition {
  segment: Segment;
  offset: number;
  /** Lower bound of the ordinals on disk from here on. */
  ordinal: number;
}

export class Backlog {
  readonly #segments: readonly Segment[];
  readonly #memoryMax: number;
  #memory: PendingEntry[] = [];
  #unjournalled = 0;
  /** Where reading from the files continues; `undefined` while all entries are in memory. */
  #disk: ReadPosition | undefined;

  /** `segments`: the journal's own files, oldest first; the journal adds and removes them. */
  constructor(segments: readonly Segment[], memoryMax: number) {
    this.#segments = segments;
    this.#memoryMax = memoryMax;
  }

  /** Number of entries in memory that are not in any file. */
  get unjournalled(): number {
    return this.#unjournalled;
  }

  get inMemory(): number {
    return this.#memory.length;
  }

  /** Adds entries that were written to the segment at `offset`. */
  journalled(entries: readonly NumberedEntry[], segment: Segment, offset: number): void {
    const [first] = entries;
    if (first === undefined || this.#disk !== undefined) return;
    if (this.#memory.length + entries.length > this.#memoryMax) {
      this.#disk = { segment, offset, ordinal: first.ordinal };
      return;
    }
    for (const { ordinal, entry } of entries) this.#memory.push({ ordinal, entry, unjournalled: false });
  }

  /** Adds an entry that could not be written to a file. False if memory has no room for it. */
  refusedByDisk({ ordinal, entry }: NumberedEntry): boolean {
    if (this.#unjournalled >= this.#memoryMax) return false;
    this.#memory.push({ ordinal, entry, unjournalled: true });
    this.#unjournalled += 1;
    return true;
  }

  /** Offers everything that is still in the files again. */
  offerAgain(): void {
    const [segment] = this.#segments;
    if (segment === undefined) return;
    this.#memory = this.#memory.filter((owed) => owed.unjournalled);
    this.#disk = { segment, offset: MAGIC.length, ordinal: 0 };
  }

  /** The next entries, at most `limit`; they stay pending until `stored`. One call at a time. */
  async next(limit: number): Promise<readonly PendingEntry[]> {
    const disk = this.#disk;
    if (disk === undefined) return this.#memory.slice(0, limit);
    const before = this.#memory.filter((owed) => owed.ordinal < disk.ordinal);
    if (before.length > 0) return before.slice(0, limit);
    const { entries, consumed, sound } = await disk.segment.read(disk.offset);
    disk.offset += consumed;
    const last = entries.at(-1);
    if (last === undefined) {
      // The file may have grown while it was being read.
      if (!sound || disk.offset >= disk.segment.size) this.#advance(disk);
      return this.next(limit);
    }
    // Entries read from disk stay in memory, like the others, until they are stored.
    const read = entries.map(({ ordinal, entry }): PendingEntry => ({ ordinal, entry, unjournalled: false }));
    disk.ordinal = last.ordinal + 1;
    this.#memory = [...this.#memory, ...read].sort((left, right) => left.ordinal - right.ordinal);
    return this.next(limit);
  }

  /** Whether reading continues in this file. */
  reads(segment: Segment): boolean {
    return this.#disk?.segment === segment;
  }

  /** Removes the entries up to this ordinal: they are stored. */
  stored(ordinal: number): void {
    let count = 0;
    for (const owed of this.#memory) {
      if (owed.ordinal > ordinal) break;
      if (owed.unjournalled) this.#unjournalled -= 1;
      count += 1;
    }
    this.#memory.splice(0, count);
  }

  #advance(disk: ReadPosition): void {
    const following = this.#segments[this.#segments.indexOf(disk.segment) + 1];
    if (following === undefined) {
      this.#disk = undefined;
    } else {
      disk.segment = following;
      disk.offset = MAGIC.length;
    }
  }
}
