/**
 * Uploads closed segments to object storage, a few at a time, and retries failed uploads and segments that a killed
 * process of this machine left behind. Does nothing without object storage.
 */
import type { Blobs, Log } from '../ports/index.js';
import { RECORDER } from './limits.js';
import type { Segments } from './segments.js';

export interface SegmentUploaderOptions {
  readonly segments: Pick<Segments, 'quiet' | 'recorded'>;
  /** Uploads a segment and removes the file. */
  readonly upload: Segments['upload'];
  readonly blobs: Blobs;
  readonly log: Log;
}

interface SegmentWriter {
  /** Whether this process is writing this file. */
  isWriting(liveVideoId: string, name: string): boolean;
}

export class SegmentUploader {
  readonly #options: SegmentUploaderOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #known = new Set<string>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(options: SegmentUploaderOptions) {
    this.#options = options;
  }

  /** Looks for leftover segments on this disk, periodically. */
  start(recorder: SegmentWriter): void {
    if (this.#options.blobs.kind === 'folder') return;
    this.#timer = setInterval(() => this.#look(recorder), RECORDER.uploadAgainMs);
    this.#timer.unref();
    this.#look(recorder);
  }

  /** A segment was closed in this process. */
  upload(liveVideoId: string, name: string): void {
    const key = `${liveVideoId}/${name}`;
    if (this.#options.blobs.kind === 'folder' || this.#known.has(key)) return;
    this.#known.add(key);
    this.#waiting.push(async () => {
      try {
        await this.#options.upload(liveVideoId, name);
      } catch (error) {
        this.#options.log.warn({ liveVideoId, name, error }, 'cannot upload a segment to object storage; will retry');
      } finally {
        this.#known.delete(key);
      }
    });
    this.#next();
  }

  /** Waits a while for the last uploads; remaining segments stay on the disk for the next start. */
  async close(withinMs: number = RECORDER.uploadCloseMs): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #next(): void {
    while (this.#running < RECORDER.parallelUploads) {
      const task = this.#waiting.shift();
      if (task === undefined) break;
      this.#running++;
      void task().finally(() => {
        this.#running--;
        this.#next();
      });
    }
    if (this.#running > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #look(recorder: SegmentWriter): void {
    this.#looking = this.#looking
      .then(() => this.#uploadLeft(recorder))
      .catch((error: unknown) => {
        this.#options.log.warn({ error }, 'cannot look for leftover segments on this disk');
      });
  }

  async #uploadLeft(recorder: SegmentWriter): Promise<void> {
    const { segments } = this.#options;
    for (const liveVideoId of segments.recorded()) {
      for (const name of await segments.quiet(liveVideoId)) {
        if (this.#closed) return;
        if (!recorder.isWriting(liveVideoId, name)) this.upload(liveVideoId, name);
      }
    }
  }
}
