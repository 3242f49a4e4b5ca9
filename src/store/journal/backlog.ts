/**
 * What a journal still owes the store, in the order in which it was taken. Normally entries wait in memory; past a
 * bound, or when everything is to be offered again, they are read back from the files. Entries that no file could take
 * wait in memory in any case, in their place between the others.
 */
import { MAGIC, type NumberedEntry } from './frames.js';
import type { Segment } from './segment.js';

export interface Owed extends NumberedEntry {
  /** No file holds it: it is pushed when the store has it. */
  readonly unjournalled: boolean;
}

interface Place {
  segment: Segment;
  offset: number;
  /** No entry on disk from here on has a lower one. */
  ordinal: number;
}

export class Backlog {
  readonly #segments: readonly Segment[];
  readonly #memoryMax: number;
  #memory: Owed[] = [];
  #unjournalled = 0;
  /** Where the files have to be read on; `undefined` while memory has everything. */
  #disk: Place | undefined;

  /** `segments`: the journal's own files, oldest first; the journal adds and removes them. */
  constructor(segments: readonly Segment[], memoryMax: number) {
    this.#segments = segments;
    this.#memoryMax = memoryMax;
  }

  /** Entries in memory that no file holds. */
  get unjournalled(): number {
    return this.#unjournalled;
  }

  get inMemory(): number {
    return this.#memory.length;
  }

  /** `entries` were written to the segment from `offset` on. */
  journalled(entries: readonly NumberedEntry[], segment: Segment, offset: number): void {
    const [first] = entries;
    if (first === undefined || this.#disk !== undefined) return;
    if (this.#memory.length + entries.length > this.#memoryMax) {
      this.#disk = { segment, offset, ordinal: first.ordinal };
      return;
    }
    for (const { ordinal, entry } of entries) this.#memory.push({ ordinal, entry, unjournalled: false });
  }

  /** False: there is no room for it. */
  refusedByDisk({ ordinal, entry }: NumberedEntry): boolean {
    if (this.#unjournalled >= this.#memoryMax) return false;
    this.#memory.push({ ordinal, entry, unjournalled: true });
    this.#unjournalled += 1;
    return true;
  }

  /** All that the files still hold is offered once more. */
  offerAgain(): void {
    const [segment] = this.#segments;
    if (segment === undefined) return;
    this.#memory = this.#memory.filter((owed) => owed.unjournalled);
    this.#disk = { segment, offset: MAGIC.length, ordinal: 0 };
  }

  /** The next entries, at most `limit`; they stay owed until `stored`. Only one call at a time. */
  async next(limit: number): Promise<readonly Owed[]> {
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
    // What comes from disk is owed like the rest from here on, until it is stored.
    const read = entries.map(({ ordinal, entry }): Owed => ({ ordinal, entry, unjournalled: false }));
    disk.ordinal = last.ordinal + 1;
    this.#memory = [...this.#memory, ...read].sort((left, right) => left.ordinal - right.ordinal);
    return this.next(limit);
  }

  /** The file is still to be read on. */
  reads(segment: Segment): boolean {
    return this.#disk?.segment === segment;
  }

  /** The first entries of the backlog, up to this one, are stored. */
  stored(ordinal: number): void {
    let count = 0;
    for (const owed of this.#memory) {
      if (owed.ordinal > ordinal) break;
      if (owed.unjournalled) this.#unjournalled -= 1;
      count += 1;
    }
    this.#memory.splice(0, count);
  }

  #advance(disk: Place): void {
    const following = this.#segments[this.#segments.indexOf(disk.segment) + 1];
    if (following === undefined) {
      this.#disk = undefined;
    } else {
      disk.segment = following;
      disk.offset = MAGIC.length;
    }
  }
}
