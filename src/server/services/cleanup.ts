/** The cleanup of videos and uploads, for the process that serves HTTP: it opens no media. */
import type { Clock, IdSource, Log, OwnerQuota, Store } from '../../ports/index.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { Retention } from '../../vod/cleanup/retention.js';
import { Sweeper } from '../../vod/cleanup/sweeper.js';
import { ResumableUploads } from '../../vod/uploads/resumable.js';
import { VideoWriter } from '../../vod/videos/video-writer.js';
import type { Storage } from './storage.js';

export interface CleanupDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly holder: string;
  readonly quota: OwnerQuota;
  /** How long recording files are kept; 0 or absent: forever. */
  readonly retentionDays?: number | undefined;
}

export interface Cleanup {
  readonly sweeper: Sweeper;
  /** Removes recordings whose time is over. */
  readonly retention: Retention;
}

/** Runs once `sweeper` is started, until it is closed. */
export function openCleanup({ blobs, segments, jobs }: Storage, work: WorkFolder, deps: CleanupDeps): Cleanup {
  const { store, clock, ids, log, holder, quota, retentionDays: days = 0 } = deps;
  const videos = new VideoWriter(store.objects, clock, ids);
  const resumable = new ResumableUploads({ store, blobs, jobs, videos, clock, ids, quota });
  const retention = new Retention({ store, blobs, jobs, videos, clock, log, days });
  const sweeper = new Sweeper({ store, blobs, jobs, resumable, segments, work, retention, clock, log, holder });
  return { sweeper, retention };
}
