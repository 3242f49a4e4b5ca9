/** Blobs, recordings on this disk and the queue of media jobs: what each process that handles videos needs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Recordings } from '../../broadcasts/deps.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import type { Blobs, Clock, DiskReserve, Log, Store, StoredObject } from '../../ports/index.js';
import { Segments } from '../../recording/segments.js';
import { openBlobs, parseBlobUrl } from '../../store/blobs/open.js';
import type { S3Options } from '../../store/blobs/s3-blobs.js';
import { TENTH } from '../../store/disk/free-space.js';
import { WorkFolder } from '../../store/disk/work-folder.js';
import { JobQueue } from '../../vod/jobs/job-queue.js';
import type { Closers } from '../system/closers.js';
import type { Shared } from './shared.js';

export interface StorageOptions {
  readonly dataDir: string;
  /** Object storage instead of `<dataDir>/blobs`. */
  readonly s3?: S3Options | undefined;
  /** Part of the disk to keep free; a tenth by default. */
  readonly diskReserve?: DiskReserve | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
}

export interface Storage {
  readonly dataDir: string;
  readonly reserve: DiskReserve;
  readonly blobs: Blobs & { close?(): void };
  /** Folder of the recordings on this disk. */
  readonly recordings: string;
  readonly segments: Segments;
  readonly jobs: JobQueue;
}

/** Close its blobs and jobs after what stands on them. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { dataDir, s3, diskReserve: reserve = TENTH, store, clock, log, holder } = options;
  const blobs = await openBlobs({ dataDir, s3, nowMs: clock.wallMs() });
  const recordings = join(dataDir, 'recordings');
  mkdirSync(recordings, { recursive: true, mode: 0o700 });
  return {
    dataDir,
    reserve,
    blobs,
    recordings,
    segments: new Segments({ folder: recordings, blobs, store, clock, log }),
    jobs: new JobQueue({ store, clock, log, holder }),
  };
}

/** The storage of a server's process. */
export async function storageOf({ config, ...shared }: Shared, closers: Closers): Promise<Storage> {
  const { dataDir, blobUrl, diskReserve } = config;
  const s3 = blobUrl === undefined ? undefined : parseBlobUrl(blobUrl);
  const storage = await openStorage({ ...shared, dataDir, diskReserve, s3 });
  closers.add('storage', () => storage.blobs.close?.());
  return storage;
}

/** Temporary files of this process. */
export const openWork = (dataDir: string): Promise<WorkFolder> => WorkFolder.open(join(dataDir, 'work'));

/** The last packets of a connection are still being written when its broadcast ends. */
const AFTER_END_MS = 1_000;

/** Adds the job that makes a video of a recording. */
export class RecordingJobs implements Recordings {
  readonly #jobs: Pick<JobQueue, 'add'>;
  readonly #isOn: boolean;
  readonly #log: Log;

  constructor(jobs: Pick<JobQueue, 'add'>, isOn: boolean, log: Log) {
    this.#jobs = jobs;
    this.#isOn = isOn;
    this.#log = log;
  }

  ended({ id: liveVideoId }: StoredObject<LiveVideoData>): void {
    if (!this.#isOn) return;
    this.#jobs.add('recording', liveVideoId, {}, AFTER_END_MS).catch((error: unknown) => {
      this.#log.warn({ liveVideoId, error }, 'cannot add a recording job; the sweep will add it');
    });
  }
}
