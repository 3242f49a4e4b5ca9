/**
 * The single writer of all recordings of a process: twice a second it writes everything that is queued, a few files at a
 * time, and every 5 s it syncs each file that grew, one after the other. A file that has ended is next, without waiting for
 * either: its upload begins when it is closed.
 */
import { RECORDER } from './limits.js';
import type { SegmentFile } from './segment-file.js';

export class Flusher {
  /** Queued bytes of all recordings. */
  waitingBytes = 0;
  readonly #dirty = new Set<SegmentFile>();
  /** The dirty segments that the current round has not reached yet. */
  readonly #due = new Set<SegmentFile>();
  readonly #open = new Set<SegmentFile>();
  #running = 0;
  #syncing = false;
  #syncIn: number = RECORDER.syncMs;
  #timer: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];
  readonly #afterWrite = (): void => {
    this.#running--;
    this.#writeSome();
    this.#tellIdle();
  };

  add(segment: SegmentFile): void {
    this.#open.add(segment);
    this.#timer ??= setInterval(() => this.#tick(), RECORDER.flushMs);
  }

  remove(segment: SegmentFile): void {
    this.#open.delete(segment);
    this.#dirty.delete(segment);
    this.#due.delete(segment);
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#tellIdle();
  }

  markDirty(segment: SegmentFile): void {
    this.#dirty.add(segment);
    if (segment.isOpen) return;
    this.#due.add(segment);
    this.#writeSome();
  }

  /** Writes a long queue now, without waiting for the next round. */
  hurry(segment: SegmentFile): void {
    if (segment.isIdle && this.#running < RECORDER.parallelWrites) this.#start(segment);
  }

  /** Resolves when every segment is closed; for shutdown. */
  settled(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    this.#tick();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #tellIdle(): void {
    if (this.#open.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #tick(): void {
    for (const segment of this.#dirty) this.#due.add(segment);
    this.#writeSome();
    this.#syncIn -= RECORDER.flushMs;
    if (this.#syncIn > 0 || this.#syncing) return;
    this.#syncIn = RECORDER.syncMs;
    this.#syncing = true;
    this.#syncNext([...this.#open].filter((segment) => segment.needsSync));
  }

  #writeSome(): void {
    for (const segment of this.#due) {
      if (this.#running >= RECORDER.parallelWrites) return;
      this.#start(segment);
    }
  }

  #start(segment: SegmentFile): void {
    if (!segment.isIdle) return;
    this.#dirty.delete(segment);
    this.#due.delete(segment);
    this.#running++;
    // The file is not open yet, so nothing was started; it reports itself dirty again once it is.
    if (!segment.flush(this.#afterWrite)) this.#running--;
  }

  #syncNext(rest: SegmentFile[]): void {
    const segment = rest.pop();
    if (segment === undefined) {
      this.#syncing = false;
      return;
    }
    segment.sync(() => {
      this.#writeSome();
      this.#syncNext(rest);
    });
  }
}
