/**
 * The disk of a machine, under the journals and recordings of its processes. A write lands some time after it was asked for; a
 * process that dies before leaves none of it, or a part. The disk may be slow, and full. A machine that loses power loses what was
 * not flushed, and may find zeros in its place.
 */
import type { JournalFile, JournalFiles } from '../../src/store/journal/segment.js';
import { parseSegmentFileName } from '../../src/store/journal/segment-name.js';
import type { Actor, World } from './world.js';

/** What an operation takes. */
const OPERATION_MS = { from: 0.05, to: 0.4 } as const;
/** By then Linux has written what was not synced: pages of 30 s, looked at every 5 s. */
const WRITTEN_BACK_MS = 35_000;
/** The file system commits names so often. */
const NAMES_MS = 5_000;

export class Content {
  readonly createdMs: number;
  modifiedMs = 0;
  size = 0;
  /** Up to here it was synced. */
  synced = 0;
  #bytes = Buffer.alloc(256);
  /** Sizes that it had, oldest first. */
  readonly #sizes: { readonly atMs: number; readonly size: number }[] = [];

  constructor(createdMs: number) {
    this.createdMs = createdMs;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }

  put(bytes: Uint8Array, position: number, atMs: number): void {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 4 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.size);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, position);
    if (end <= this.size) return;
    this.size = end;
    this.#sizes.push({ atMs, size: end });
  }

  cut(size: number): void {
    this.size = size;
    this.synced = Math.min(this.synced, size);
  }

  /** The least that is on the disk. */
  keptAt(nowMs: number): number {
    const old = this.#sizes.findLast(({ atMs }) => nowMs - atMs > WRITTEN_BACK_MS)?.size ?? 0;
    return Math.min(this.size, Math.max(this.synced, old));
  }
}

export class DiskError extends Error {
  readonly code: string;

  constructor(code: 'ENOENT' | 'EEXIST' | 'ENOSPC') {
    super(code);
    this.code = code;
  }
}

export class Disk {
  readonly world: World;
  readonly files = new Map<string, Content>();
  #isFull = false;
  hasBeenFull = false;
  /** When it last refused a write. */
  refusedMs = Number.NEGATIVE_INFINITY;
  #slowMs = 0;
  slowestMs = 0;
  #removed: { readonly path: string; readonly content: Content; readonly atMs: number }[] = [];
  /** When the machine lost power. */
  readonly lossesMs: number[] = [];

  constructor(world: World) {
    this.world = world;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  set isFull(isFull: boolean) {
    this.#isFull = isFull;
    this.hasBeenFull ||= isFull;
  }

  /** An operation takes up to this much longer. */
  get slowMs(): number {
    return this.#slowMs;
  }

  set slowMs(ms: number) {
    this.#slowMs = ms;
    this.slowestMs = Math.max(this.slowestMs, ms);
  }

  /** Every process of the machine is dead by now. */
  losePower(): void {
    const { world } = this;
    const { nowMs } = world;
    this.lossesMs.push(nowMs);
    for (const [path, content] of [...this.files]) {
      const kept = content.keptAt(nowMs);
      if (kept === 0 && nowMs - content.createdMs < NAMES_MS && world.chance(0.5)) {
        this.files.delete(path);
        continue;
      }
      const { size } = content;
      content.cut(world.whole(kept, size));
      if (world.chance(0.3)) content.put(Buffer.alloc(world.whole(0, size - content.size)), content.size, nowMs);
      content.synced = content.size;
    }
    for (const { path, content, atMs } of this.#removed)
      if (nowMs - atMs < NAMES_MS && world.chance(0.5) && !this.files.has(path)) this.files.set(path, content);
    this.#removed = [];
  }

  /** It may have lost what was written then. */
  mayHaveLost(atMs: number): boolean {
    return this.lossesMs.some((lostMs) => lostMs >= atMs && lostMs - atMs <= WRITTEN_BACK_MS);
  }

  create(path: string): Content {
    if (this.files.has(path)) throw new DiskError('EEXIST');
    if (this.isFull) this.#refuse();
    const content = new Content(this.world.nowMs);
    this.files.set(path, content);
    return content;
  }

  #refuse(): never {
    this.refusedMs = this.world.nowMs;
    throw new DiskError('ENOSPC');
  }

  find(path: string): Content {
    const content = this.files.get(path);
    if (content === undefined) throw new DiskError('ENOENT');
    return content;
  }

  /** The journals' files as one process sees them. */
  of(actor: Actor): JournalFiles {
    const { files } = this;
    const run = <Answer>(work: () => Answer) => this.run(actor, work);
    const owns = (path: string) => {
      const name = parseSegmentFileName(nameOf(path));
      if (name !== undefined) actor.journals.add(name.instance);
    };
    return {
      mkdir: () => run(() => undefined),
      readdir: () => run(() => [...files.keys()].map(nameOf)),
      rename: (from, to) =>
        run(() => {
          const content = this.find(from);
          owns(to);
          files.delete(from);
          files.set(to, content);
        }),
      stat: (path) => run(() => ({ mtimeMs: this.find(path).modifiedMs })),
      unlink: (path) =>
        run(() => {
          this.#removed.push({ path, content: this.find(path), atMs: this.world.nowMs });
          files.delete(path);
        }),
      open: (path, flags) =>
        run(() => {
          if (flags === 'r') return this.#handle(this.find(path), actor);
          const content = this.create(path);
          content.modifiedMs = this.world.wallMs + actor.skewMs;
          owns(path);
          return this.#handle(content, actor);
        }),
    };
  }

  #handle(content: Content, actor: Actor): JournalFile {
    const { world } = this;
    const run = <Answer>(work: () => Answer) => this.run(actor, work);
    return {
      write: (bytes, offset, length, position) => {
        const copy = Buffer.from(bytes.subarray(offset, offset + length));
        const put = (count: number) => {
          content.put(copy.subarray(0, count), position, world.nowMs);
          content.modifiedMs = world.wallMs + actor.skewMs;
        };
        return this.run(
          actor,
          () => {
            // A full disk may take a part of it.
            if (this.isFull) {
              if (world.chance(0.3)) put(world.whole(0, length - 1));
              this.#refuse();
            }
            put(length);
            return { bytesWritten: length };
          },
          () => put(world.whole(0, length)),
        );
      },
      read: (into, offset, length, position) =>
        run(() => ({ bytesRead: content.bytes.copy(into, offset, position, position + length) })),
      stat: () => run(() => ({ size: content.size })),
      truncate: (size) => run(() => content.cut(size)),
      utimes: (_accessed, modified) =>
        run(() => {
          content.modifiedMs = modified.getTime();
        }),
      close: () => run(() => undefined),
    };
  }

  /** Lands, then is answered. `torn`: the process died between the call and the disk. */
  run<Answer>(actor: Actor, work: () => Answer, torn?: () => void): Promise<Answer> {
    const { world } = this;
    const losses = this.lossesMs.length;
    return new Promise((resolve, reject) => {
      const ms = world.between(OPERATION_MS.from, OPERATION_MS.to + this.slowMs);
      world.after(ms / 2, () => {
        if (this.lossesMs.length > losses) return;
        if (!actor.isAlive) {
          if (world.chance(0.5)) torn?.();
          return;
        }
        try {
          const answer = work();
          world.after(ms / 2, () => resolve(answer), actor);
        } catch (error) {
          world.after(ms / 2, () => reject(error), actor);
        }
      });
    });
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
