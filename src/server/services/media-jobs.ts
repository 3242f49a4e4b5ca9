/** Media jobs and the copyright detector, for the process that opens media. */
import { CopyrightDetector, type DetectorDeps } from '../../detection/detector.js';
import { FingerprintWorker } from '../../detection/fingerprint-job.js';
import { MatchClips } from '../../detection/match-clips.js';
import { ReferenceIndex } from '../../detection/reference-index.js';
import type { Clock, ErrorSink, IdSource, Log, OwnerQuota, Store } from '../../ports/index.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { ConversionRoom } from '../../vod/processing/conversion-room.js';
import { PublishWorker } from '../../vod/processing/publish-job.js';
import type { MediaPort } from '../../vod/processing/publish-video.js';
import { type RecordingDeps, RecordingWorker } from '../../vod/processing/recording-job.js';
import { UploadWorker } from '../../vod/processing/upload-job.js';
import { ResumableUploads } from '../../vod/uploads/resumable.js';
import { recordedVideo, VideoWriter } from '../../vod/videos/video-writer.js';
import type { Storage } from './storage.js';

export interface MediaJobsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly quota: OwnerQuota;
  readonly enforce: 'report' | 'strict';
  readonly media: MediaPort;
  /** Prints of sound. */
  readonly prints: DetectorDeps['prints'];
  readonly errors: ErrorSink;
  readonly states: RecordingDeps['states'];
}

export interface MediaJobs {
  readonly detector: CopyrightDetector;
  readonly clips: MatchClips;
  close(): Promise<void>;
}

/** Shows that the process lives (`WorkFolder.sweep`). */
const SWEEP_MS = 3_600_000;

/** Runs until `close`, which closes `work`. */
export function openMediaJobs(storage: Storage, work: WorkFolder, deps: MediaJobsDeps): MediaJobs {
  const { reserve, blobs, segments, jobs } = storage;
  const { store, clock, ids, log, quota, enforce, media, prints, errors, states } = deps;
  const videos = new VideoWriter(store.objects, clock, ids);
  const resumable = new ResumableUploads({ store, blobs, jobs, videos, clock, ids, quota });
  const references = new ReferenceIndex({ store, blobs, log });
  const detector = new CopyrightDetector({ store, blobs, work, clock, log, prints, references });
  const room = new ConversionRoom({ folder: work.root, reserve });
  const comparing = {
    isDue: () => references.hasAny(),
    order: (videoId: string) => jobs.add('fingerprint', videoId),
  };
  const shared = { blobs, media, videos, log, clock, work, room, comparing };
  const sweep = () =>
    work.sweep(clock.wallMs()).catch((error: unknown) => log.warn({ error }, 'sweep of temporary files failed'));
  const timer = setInterval(() => void sweep(), SWEEP_MS).unref();
  detector.start();
  jobs.start({
    recording: new RecordingWorker({
      ...shared,
      segments,
      errors,
      states,
      videoOf: async (id) => (await recordedVideo(store, id))?.videoId,
    }),
    upload: new UploadWorker({ ...shared, store, enforce, errors, resumable }),
    publish: new PublishWorker(videos, clock),
    fingerprint: new FingerprintWorker({ store, blobs, clock, log, work, videos, prints, references }),
  });
  return {
    detector,
    clips: new MatchClips({ store, blobs, work, prints, log }),
    close: async () => {
      clearInterval(timer);
      detector.close();
      await jobs.close();
      await work.close();
    },
  };
}
