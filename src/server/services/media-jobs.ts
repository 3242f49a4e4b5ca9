/** Media jobs, the copyright detector and the cleanup of videos, for the process that opens media. */
import { CopyrightDetector, type DetectorDeps } from '../../detection/detector.js';
import { FingerprintWorker } from '../../detection/fingerprint-job.js';
import { MatchClips } from '../../detection/match-clips.js';
import { ReferenceIndex } from '../../detection/reference-index.js';
import type { Clock, ErrorSink, IdSource, Log, OwnerQuota, Store } from '../../ports/index.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { Retention } from '../../vod/cleanup/retention.js';
import { Sweeper } from '../../vod/cleanup/sweeper.js';
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
  readonly holder: string;
  readonly quota: OwnerQuota;
  readonly enforce: 'report' | 'strict';
  /** How long recording files are kept; 0 or absent: forever. */
  readonly retentionDays?: number | undefined;
  readonly media: MediaPort;
  /** Prints of sound. */
  readonly prints: DetectorDeps['prints'];
  readonly errors: ErrorSink;
  readonly states: RecordingDeps['states'];
}

export interface MediaJobs {
  readonly detector: CopyrightDetector;
  readonly clips: MatchClips;
  readonly sweeper: Sweeper;
  /** Removes recordings whose time is over. */
  readonly retention: Retention;
  close(): Promise<void>;
}

/** Runs until `close`, which closes `work`. */
export function openMediaJobs(storage: Storage, work: WorkFolder, deps: MediaJobsDeps): MediaJobs {
  const { reserve, blobs, segments, jobs } = storage;
  const {
    store,
    clock,
    ids,
    log,
    holder,
    quota,
    enforce,
    media,
    prints,
    errors,
    states,
    retentionDays: days = 0,
  } = deps;
  const videos = new VideoWriter(store.objects, clock, ids);
  const resumable = new ResumableUploads({ store, blobs, jobs, videos, clock, ids, quota });
  const retention = new Retention({ store, blobs, jobs, videos, clock, log, days });
  const sweeper = new Sweeper({ store, blobs, jobs, resumable, segments, work, retention, clock, log, holder });
  const references = new ReferenceIndex({ store, blobs, log });
  const detector = new CopyrightDetector({ store, blobs, work, clock, log, prints, references });
  const room = new ConversionRoom({ folder: work.root, reserve });
  const comparing = {
    isDue: () => references.hasAny(),
    order: (videoId: string) => jobs.add('fingerprint', videoId),
  };
  const shared = { blobs, media, videos, log, clock, work, room, comparing };
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
  sweeper.start();
  return {
    detector,
    clips: new MatchClips({ store, blobs, work, prints, log }),
    sweeper,
    retention,
    close: async () => {
      detector.close();
      await sweeper.close();
      await jobs.close();
      await work.close();
    },
  };
}
