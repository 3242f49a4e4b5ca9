/**
 * The single writer of all recordings of a process. A segment is written when its queue is long, or has waited for
 * `flushMs`, a few files at a time; every 5 s it syncs each file that grew, one after the other. A file that has ended is next,
 * without waiting for either: its upload begins when it is closed.
 */
import { RECORDER } from './limits.js';
import type { SegmentFile } from './segment-file.js';

export class Flusher {
  /** Queued bytes of all recordings. */
  waitingBytes = 0;
  readonly #dirty = new Set<SegmentFile>();
  /** The dirty segments to be written as soon as a write ends. */
  readonly #due = new Set<SegmentFile>();
  readonly #open = new Set<SegmentFile>();
  /** Those of the current round of syncs that are left. */
  #toSync: SegmentFile[] = [];
  /** Writes and syncs under way. */
  #running = 0;
  #syncing = false;
  #syncIn: number = RECORDER.syncMs;
  #timer: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];
  readonly #afterWrite = (): void => {
    this.#running--;
    this.#startSome();
    this.#tellIdle();
  };
  readonly #afterSync = (): void => {
    this.#syncing = false;
    this.#afterWrite();
  };

  add(segment: SegmentFile): void {
    this.#open.add(segment);
    this.#timer ??= setInterval(() => this.#round(), RECORDER.roundMs);
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
    if (segment.isOpen && segment.wholeBytes < RECORDER.writeBytes) return;
    this.#due.add(segment);
    this.#startSome();
  }

  /** Writes a long queue without waiting for its age. */
  hurry(segment: SegmentFile): void {
    if (!segment.isIdle || segment.wholeBytes < RECORDER.writeBytes) return;
    if (this.#running < RECORDER.parallelWrites) this.#start(segment);
    else this.#due.add(segment);
  }

  /** Resolves when every segment is closed; for shutdown. */
  settled(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    for (const segment of this.#dirty) this.#due.add(segment);
    this.#startSome();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #tellIdle(): void {
    if (this.#open.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #round(): void {
    for (const segment of this.#dirty) {
      segment.roundsWaited++;
      if (segment.roundsWaited * RECORDER.roundMs >= RECORDER.flushMs) this.#due.add(segment);
    }
    this.#syncIn -= RECORDER.roundMs;
    if (this.#syncIn <= 0 && this.#toSync.length === 0) {
      this.#syncIn = RECORDER.syncMs;
      this.#toSync = [...this.#open].filter((segment) => segment.needsSync);
    }
    this.#startSome();
  }

  #startSome(): void {
    if (!this.#syncing && this.#running < RECORDER.parallelWrites) this.#syncNext();
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
    const isBehind =
      segment.waitingBytes > RECORDER.directQueueBytes || this.waitingBytes > RECORDER.directQueueBytesAll;
    // False: the file is not open yet, and reports itself dirty again once it is; or less than a block waits.
    if (!segment.flush(isBehind, this.#afterWrite)) this.#running--;
  }

  /** One that is being written waits for the end of it: left out, it would be synced a round of syncs later. */
  #syncNext(): void {
    for (let at = this.#toSync.length - 1; at >= 0; at -= 1) {
      const segment = this.#toSync[at];
      if (segment?.isIdle === false) continue;
      this.#toSync.splice(at, 1);
      if (segment?.sync(this.#afterSync) !== true) continue;
      this.#syncing = true;
      this.#running++;
      return;
    }
  }
}
