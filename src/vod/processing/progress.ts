/** Writes the progress of a job to its video: throttled, and never awaited by the job. */
import type { Clock, Log } from '../../ports/index.js';
import type { VideoWriter } from '../videos/video-writer.js';

const EVERY_MS = 2_000;

export class Progress {
  #lastMs: number;
  #writing: Promise<void> = Promise.resolve();
  #busy = false;
  readonly #videos: VideoWriter;
  readonly #videoId: string;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(videos: VideoWriter, videoId: string, clock: Clock, log: Log) {
    this.#videos = videos;
    this.#videoId = videoId;
    this.#clock = clock;
    this.#log = log;
    this.#lastMs = clock.monotonicMs();
  }

  /** `part` from 0 to 1. */
  report(part: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#busy || nowMs - this.#lastMs < EVERY_MS) return;
    this.#lastMs = nowMs;
    this.#busy = true;
    this.#writing = this.#write(Math.min(99, Math.floor(part * 100)));
  }

  async #write(processingProgress: number): Promise<void> {
    try {
      await this.#videos.change(this.#videoId, (data) => ({ ...data, processingProgress }));
    } catch (error) {
      this.#log.debug({ videoId: this.#videoId, error }, 'cannot write the progress');
    } finally {
      this.#busy = false;
    }
  }

  /** Resolves when no write is pending, so that a later status is not overwritten. */
  settled(): Promise<void> {
    return this.#writing;
  }
}
