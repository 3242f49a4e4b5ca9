/**
 * Recordings, media jobs, uploads and files, joined. The composition root gives it the store, the media tools and the moves
 * of the lifecycle, and gets taps for the ingest side and ports for the HTTP interface.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveVideoData } from '../broadcast/documents.js';
import type { PayloadBuffers } from '../bytes/payload-buffers.js';
import type {
  Blobs,
  Clock,
  DiskReserve,
  FileLinks,
  IdSource,
  JournalEntry,
  Log,
  OwnerQuota,
  Store,
  StoredObject,
  Uploads,
} from '../ports/index.js';
import { openBlobs } from './blobs/open.js';
import type { S3Options } from './blobs/s3-blobs.js';
import { Retention } from './cleanup/retention.js';
import { Sweeper } from './cleanup/sweeper.js';
import { diskState, TENTH } from './disk/free-space.js';
import { WorkFolder } from './disk/work-folder.js';
import { type FileHandler, fileHandler } from './files/file-handler.js';
import { SignedLinks } from './files/signed-links.js';
import { JobQueue } from './jobs/job-queue.js';
import { ConversionRoom } from './processing/conversion-room.js';
import type { MediaPort } from './processing/media-port.js';
import { PublishWorker } from './processing/publish-job.js';
import { RecordingWorker } from './processing/recording-job.js';
import { UploadWorker } from './processing/upload-job.js';
import { Recorder, type RecorderCounts } from './recording/recorder.js';
import type { RecordingTap } from './recording/recording-tap.js';
import { Carrier } from './recording/segment-uploader.js';
import { Segments } from './recording/segments.js';
import { UploadService, type UploadServiceDeps } from './uploads/upload-service.js';
import { VideoWriter } from './videos/video-writer.js';

export interface VodOptions {
  readonly dataDir: string;
  /** Object storage instead of `<dataDir>/blobs`. */
  readonly s3?: S3Options | undefined;
  /** False: nothing is recorded, and a broadcast stays LIVE_STOPPED. */
  readonly record: boolean;
  readonly enforce: 'report' | 'strict';
  /** Of the disk that stays free: a tenth unless told otherwise. */
  readonly diskReserve?: DiskReserve;
  /** How long the file of a recording is kept; 0 or absent: for ever. */
  readonly retentionDays?: number;
  readonly store: Store;
  readonly clock: Clock;
  /** Those of the ingest side. */
  readonly buffers: PayloadBuffers;
  readonly ids: IdSource;
  readonly log: Log;
  readonly holder: string;
  readonly quota: OwnerQuota;
  readonly media: MediaPort;
  /** Links to files are signed with a key made of it. */
  readonly serverKey: Uint8Array;
  readonly errors: { record(entry: JournalEntry): void };
  /** The lifecycle input of that name; one that the table does not have any more resolves as well. */
  readonly processingStarted: (liveVideoId: string) => Promise<void>;
  readonly processingDone: (liveVideoId: string) => Promise<void>;
  readonly onRecordingStopped?: (liveVideoId: string, reason: string) => void;
  readonly onRecordingGap?: (liveVideoId: string, reason: string) => void;
  readonly maySee?: (token: string, videoId: string) => Promise<boolean>;
  /** Media jobs are worked on in this process. */
  readonly runsJobs?: boolean;
  readonly fetch?: UploadServiceDeps['fetch'];
}

export interface Vod {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly links: FileLinks;
  /** For `/files`. */
  readonly files: FileHandler;
  /** A source of taps for the ingest side. */
  open(liveVideoId: string, when: 'publish' | 'live', hasRoom: boolean): RecordingTap | undefined;
  /** A broadcast that was LIVE is over. */
  onEnded(live: StoredObject<LiveVideoData>): void;
  readonly jobs: JobQueue;
  readonly sweeper: Sweeper;
  /** Bytes of recordings on this disk that are not yet a finished video. */
  spoolBytes(): Promise<number>;
  /** Of the disk of the data folder: free bytes, and those that are to stay free. */
  disk(): Promise<{ readonly freeBytes: number; readonly reserveBytes: number }>;
  recorderCounts(): RecorderCounts;
  /** Bytes that the retention of recordings has removed in this process. */
  retentionBytes(): number;
  /** First `closeRecorder`, when no packet comes any more; the store must still be open. */
  close(): Promise<void>;
}

/** The last packets of a connection are still being written when its broadcast ends. */
const AFTER_END_MS = 1_000;
const QUOTA_FULL = 'the videos of its owner have reached their limit of bytes';

export async function openVod(options: VodOptions): Promise<Vod> {
  const {
    dataDir,
    store,
    clock,
    ids,
    log,
    holder,
    media,
    enforce,
    errors,
    buffers,
    diskReserve: reserve = TENTH,
  } = options;
  const folder = join(dataDir, 'recordings');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = await openBlobs({ dataDir, s3: options.s3, nowMs: clock.wallMs() });
  const work = await WorkFolder.open(join(dataDir, 'work'));
  const segments = new Segments({ folder, blobs, store, clock, log });
  const videos = new VideoWriter(store.objects, clock, ids);
  const carrier = new Carrier({ segments, blobs, recorder: () => recorder, log });
  const recorder = new Recorder({
    folder,
    buffers,
    clock,
    log,
    inParts: blobs.kind !== 'folder',
    reserve,
    onSegmentOpened: (liveVideoId, name) => segments.begun(liveVideoId, name),
    onSegmentClosed: (liveVideoId, name) => carrier.carry(liveVideoId, name),
    ...(options.onRecordingStopped === undefined ? {} : { onRecordingStopped: options.onRecordingStopped }),
    ...(options.onRecordingGap === undefined ? {} : { onRecordingGap: options.onRecordingGap }),
  });
  await recorder.freeSpace.start();

  const room = new ConversionRoom({ folder: work.root, reserve });
  const published = { blobs, media, videos, log };
  const recording = new RecordingWorker({
    ...published,
    segments,
    work,
    room,
    clock,
    liveVideo: async (id) => (await store.objects.get<LiveVideoData>(id))?.data,
    isRecording: (id) => recorder.isRecording(id),
    processingStarted: options.processingStarted,
    processingDone: options.processingDone,
  });
  const publish = new PublishWorker(videos, clock);
  // Each needs the other: jobs are worked on by what adds jobs.
  const workers = { recording, publish, upload: recording as RecordingWorker | UploadWorker };
  const jobs = new JobQueue({ store, clock, log, holder, workers });
  const uploads = new UploadService({
    store,
    blobs,
    jobs,
    videos,
    clock,
    ids,
    work,
    segments,
    quota: options.quota,
    reserve,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  workers.upload = new UploadWorker({
    ...published,
    store,
    clock,
    work,
    room,
    enforce,
    errors,
    resumable: uploads.resumable,
  });
  const links = new SignedLinks(options.serverKey, clock);
  const { resumable } = uploads;
  const days = options.retentionDays ?? 0;
  const retention = new Retention({ store, blobs, jobs, videos, clock, log, days });
  const sweeper = new Sweeper({
    store,
    blobs,
    jobs,
    resumable,
    recorder,
    segments,
    work,
    retention,
    clock,
    log,
    holder,
  });
  if (options.runsJobs !== false) jobs.start();
  sweeper.start();
  carrier.start();

  return {
    blobs,
    uploads,
    links,
    jobs,
    sweeper,
    spoolBytes: () => segments.localBytes(),
    async disk() {
      const { freeBytes, diskBytes } = await diskState(dataDir);
      return { freeBytes, reserveBytes: reserve.bytesOf(diskBytes) };
    },
    recorderCounts: () => recorder.counts,
    retentionBytes: () => retention.removedBytes,
    files: fileHandler({ blobs, links, log, ...(options.maySee === undefined ? {} : { maySee: options.maySee }) }),
    open(liveVideoId, when, hasRoom) {
      if (!options.record) return undefined;
      if (hasRoom) return recorder.open(liveVideoId, when);
      if (when === 'live') options.onRecordingStopped?.(liveVideoId, QUOTA_FULL);
      return undefined;
    },
    onEnded(live) {
      if (!options.record) return;
      jobs.add('recording', live.id, {}, AFTER_END_MS).catch((error: unknown) => {
        log.warn({ liveVideoId: live.id, error }, 'the job of a recording could not be kept; the sweep makes it');
      });
    },
    async close() {
      await recorder.close();
      await carrier.close();
      await sweeper.close();
      await jobs.close();
      await work.close();
      blobs.close?.();
    },
  };
}
