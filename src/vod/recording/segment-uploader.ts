/**
 * Uploads closed segments to the object storage, a few at a time, and retries those whose upload failed or that a killed
 * process of this machine left behind. Without object storage it does nothing.
 */
import type { Blobs, Log } from '../../ports/index.js';
import { RECORDER } from './limits.js';
import type { Recorder } from './recorder.js';
import type { Segments } from './segments.js';

export interface SegmentUploaderOptions {
  readonly segments: Pick<Segments, 'upload' | 'quiet'>;
  readonly blobs: Blobs;
  readonly log: Log;
}

/** Which recordings are on this disk, and which segments are still being written. */
export type LocalRecordings = Pick<Recorder, 'recorded' | 'isWriting'>;

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

  /** Looks for segments that were left on this disk, now and again. */
  start(local: LocalRecordings): void {
    if (this.#options.blobs.kind === 'folder') return;
    this.#timer = setInterval(() => this.#look(local), RECORDER.uploadAgainMs);
    this.#timer.unref();
    this.#look(local);
  }

  /** A segment was closed here. */
  upload(liveVideoId: string, name: string): void {
    const key = `${liveVideoId}/${name}`;
    if (this.#options.blobs.kind === 'folder' || this.#known.has(key)) return;
    this.#known.add(key);
    this.#waiting.push(async () => {
      try {
        await this.#options.segments.upload(liveVideoId, name);
      } catch (error) {
        this.#options.log.warn(
          { liveVideoId, name, error },
          'a segment could not be uploaded to the object storage now',
        );
      } finally {
        this.#known.delete(key);
      }
    });
    this.#next();
  }

  /** Gives the last segments some time; what is left then stays on the disk, for the next start. */
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

  #look(local: LocalRecordings): void {
    this.#looking = this.#looking
      .then(() => this.#uploadLeft(local))
      .catch((error: unknown) => {
        this.#options.log.warn({ error }, 'segments that were left on this disk could not be looked for');
      });
  }

  async #uploadLeft(local: LocalRecordings): Promise<void> {
    const { segments } = this.#options;
    for (const liveVideoId of local.recorded()) {
      for (const name of await segments.quiet(liveVideoId)) {
        if (this.#closed) return;
        if (!local.isWriting(liveVideoId, name)) this.upload(liveVideoId, name);
      }
    }
  }
}
