/** Scheduled publishing: at its time a video that is still unpublished becomes visible. */
import type { Clock } from '../../ports/index.js';
import { type Job, JobNotYetError, type JobWorker } from '../jobs/job.js';
import { VideoGoneError, type VideoWriter } from '../videos/video-writer.js';

/** A video that is not ready at its time is looked at again. */
const NOT_READY_RETRY_MS = 10_000;
const STILL_COMING: readonly unknown[] = ['uploading', 'upload_complete', 'processing'];

export class PublishWorker implements JobWorker {
  readonly #videos: VideoWriter;
  readonly #clock: Clock;

  constructor(videos: VideoWriter, clock: Clock) {
    this.#videos = videos;
    this.#clock = clock;
  }

  async run(job: Job): Promise<void> {
    try {
      const { data } = await this.#videos.load(job.data.subjectId);
      // Published by hand, or made a draft again: nothing is left to do.
      if (data.published || data.scheduledPublishMs === undefined) return;
      const leftMs = data.scheduledPublishMs - this.#clock.wallMs();
      if (leftMs > 0) throw new JobNotYetError('its time was moved', leftMs);
      if (STILL_COMING.includes(data.videoStatus) || data.isRetried)
        throw new JobNotYetError('it is not ready', NOT_READY_RETRY_MS);
      if (data.videoStatus === 'ready' || data.videoStatus === undefined) {
        await this.#videos.change(job.data.subjectId, (video) => ({ ...video, published: true }));
      }
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
    }
  }

  /** It stays unpublished, where its owner sees it. */
  async giveUp(): Promise<void> {
    await Promise.resolve();
  }
}
