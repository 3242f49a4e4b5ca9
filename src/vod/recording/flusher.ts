/**
 * The one writer of all recordings of a process: twice a second all that waits is handed to the operating system, a few
 * files at a time, and every 5 s each file that grew is synchronised, one after the other.
 */
import { RECORDER } from './limits.js';
import type { SegmentFile } from './segment-file.js';

export class Flusher {
  /** Bytes that wait in all recordings. */
  waitingBytes = 0;
  readonly #dirty = new Set<SegmentFile>();
  /** Of those, the ones that the round which runs has yet to come to. */
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
  }

  /** A long queue does not wait for the next round. */
  hurry(segment: SegmentFile): void {
    if (segment.isIdle && this.#running < RECORDER.parallelWrites) this.#start(segment);
  }

  /** Resolves when every segment is closed; for the end of the process. */
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
    // Nothing was started: the file is not open yet, and says so again when it is.
    if (!segment.flush(this.#afterWrite)) this.#running--;
  }

  #syncNext(rest: SegmentFile[]): void {
    const segment = rest.pop();
    if (segment === undefined) {
      this.#syncing = false;
      return;
    }
    segment.sync(() => this.#syncNext(rest));
  }
}
