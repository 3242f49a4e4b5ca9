/** Scheduled publishing: makes an unpublished video visible at its time. */
import type { Clock } from '../../ports/index.js';
import { type Job, JobNotYetError, type JobWorker } from '../jobs/job.js';
import { VideoGoneError, type VideoWriter } from '../videos/video-writer.js';

/** Retry interval for a video that is not ready at its time. */
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
      // Already published, or the schedule was removed.
      if (data.published || data.scheduledPublishMs === undefined) return;
      const leftMs = data.scheduledPublishMs - this.#clock.wallMs();
      if (leftMs > 0) throw new JobNotYetError('the publish time was changed', leftMs);
      if (STILL_COMING.includes(data.videoStatus) || data.isRetried)
        throw new JobNotYetError('the video is not ready', NOT_READY_RETRY_MS);
      if (data.videoStatus === 'ready' || data.videoStatus === undefined) {
        await this.#videos.change(job.data.subjectId, (video) => ({ ...video, published: true }));
      }
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
    }
  }

  /** The video stays unpublished; its owner can see it. */
  async giveUp(): Promise<void> {
    await Promise.resolve();
  }
}
