/**
 * The disk of a machine under its journal. A write lands some time after it was asked for; a process that dies before leaves none
 * of it, or a part. The disk may be slow, and full.
 */
import type { JournalFile, JournalFiles } from '../../src/store/journal/segment.js';
import type { Actor, World } from './world.js';

/** What an operation takes. */
const OPERATION_MS = { from: 0.05, to: 0.4 } as const;

class Content {
  bytes = Buffer.alloc(0);
  modifiedMs = 0;
}

class DiskError extends Error {
  readonly code: string;

  constructor(code: 'ENOENT' | 'EEXIST' | 'ENOSPC') {
    super(code);
    this.code = code;
  }
}

export class Disk {
  readonly world: World;
  readonly #files = new Map<string, Content>();
  isFull = false;
  /** An operation takes up to this much longer. */
  slowMs = 0;

  constructor(world: World) {
    this.world = world;
  }

  names(): string[] {
    return [...this.#files.keys()];
  }

  /** The files as one process sees them. */
  of(actor: Actor): JournalFiles {
    const files = this.#files;
    const found = (path: string): Content => {
      const content = files.get(path);
      if (content === undefined) throw new DiskError('ENOENT');
      return content;
    };
    const run = <Answer>(work: () => Answer) => this.#run(actor, work);
    return {
      mkdir: () => run(() => undefined),
      readdir: () => run(() => [...files.keys()].map((path) => path.slice(path.lastIndexOf('/') + 1))),
      rename: (from, to) =>
        run(() => {
          const content = found(from);
          files.delete(from);
          files.set(to, content);
        }),
      stat: (path) => run(() => ({ mtimeMs: found(path).modifiedMs })),
      unlink: (path) =>
        run(() => {
          found(path);
          files.delete(path);
        }),
      open: (path, flags) =>
        run(() => {
          if (flags === 'r') return this.#handle(found(path), actor);
          if (files.has(path)) throw new DiskError('EEXIST');
          if (this.isFull) throw new DiskError('ENOSPC');
          const content = new Content();
          content.modifiedMs = this.world.wallMs + actor.skewMs;
          files.set(path, content);
          return this.#handle(content, actor);
        }),
    };
  }

  #handle(content: Content, actor: Actor): JournalFile {
    const { world } = this;
    const run = <Answer>(work: () => Answer) => this.#run(actor, work);
    return {
      write: (bytes, offset, length, position) => {
        const copy = Buffer.from(bytes.subarray(offset, offset + length));
        const put = (count: number) => {
          const end = Math.max(content.bytes.length, position + count);
          const next = Buffer.alloc(end);
          content.bytes.copy(next);
          copy.copy(next, position, 0, count);
          content.bytes = next;
          content.modifiedMs = world.wallMs + actor.skewMs;
        };
        return this.#run(
          actor,
          () => {
            // A full disk may take a part of it.
            if (this.isFull) {
              if (world.chance(0.3)) put(world.whole(0, length - 1));
              throw new DiskError('ENOSPC');
            }
            put(length);
            return { bytesWritten: length };
          },
          () => put(world.whole(0, length)),
        );
      },
      read: (into, offset, length, position) =>
        run(() => ({ bytesRead: content.bytes.copy(into, offset, position, position + length) })),
      stat: () => run(() => ({ size: content.bytes.length })),
      truncate: (size) =>
        run(() => {
          content.bytes = content.bytes.subarray(0, size);
        }),
      utimes: (_accessed, modified) =>
        run(() => {
          content.modifiedMs = modified.getTime();
        }),
      close: () => run(() => undefined),
    };
  }

  /** Lands, then is answered. `torn`: the process died between the call and the disk. */
  #run<Answer>(actor: Actor, work: () => Answer, torn?: () => void): Promise<Answer> {
    const { world } = this;
    return new Promise((resolve, reject) => {
      const ms = world.between(OPERATION_MS.from, OPERATION_MS.to + this.slowMs);
      world.after(ms / 2, () => {
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
