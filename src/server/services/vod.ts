/**
 * Assembles recordings, media jobs, uploads and files. Takes the store, the media tools and the lifecycle transitions from
 * the composition root; provides taps for ingest and ports for the HTTP interface.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CopyrightDetector, type DetectorDeps } from '../../detection/detector.js';
import { FingerprintWorker } from '../../detection/fingerprint-job.js';
import { MatchClips } from '../../detection/match-clips.js';
import { ReferenceIndex } from '../../detection/reference-index.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import type {
  Blobs,
  Clock,
  DiskReserve,
  ErrorSink,
  FileLinks,
  IdSource,
  Log,
  OwnerQuota,
  PreviousKey,
  Store,
  StoredObject,
  Uploads,
} from '../../ports/index.js';
import { Recorder, type RecorderCounts } from '../../recording/recorder.js';
import type { RecordedStream, RecordingTap } from '../../recording/recording-tap.js';
import { SegmentUploader } from '../../recording/segment-uploader.js';
import { Segments } from '../../recording/segments.js';
import { openBlobs } from '../../store/blobs/open.js';
import type { S3Options } from '../../store/blobs/s3-blobs.js';
import { diskState, TENTH } from '../../store/disk/free-space.js';
import { WorkFolder } from '../../store/disk/work-folder.js';
import { Retention } from '../../vod/cleanup/retention.js';
import { Sweeper } from '../../vod/cleanup/sweeper.js';
import { type FileHandler, type FileTokens, fileHandler } from '../../vod/files/file-handler.js';
import { SignedLinks } from '../../vod/files/signed-links.js';
import type { JobWorker, JobWorkers } from '../../vod/jobs/job.js';
import { JobQueue } from '../../vod/jobs/job-queue.js';
import { ConversionRoom } from '../../vod/processing/conversion-room.js';
import type { MediaPort } from '../../vod/processing/media-port.js';
import { PublishWorker } from '../../vod/processing/publish-job.js';
import { RecordingWorker } from '../../vod/processing/recording-job.js';
import { UploadWorker } from '../../vod/processing/upload-job.js';
import { UploadService, type UploadServiceDeps } from '../../vod/uploads/upload-service.js';
import { recordedVideo } from '../../vod/videos/recorded-video.js';
import { VideoWriter } from '../../vod/videos/video-writer.js';

export interface VodOptions {
  readonly dataDir: string;
  /** Object storage instead of `<dataDir>/blobs`. */
  readonly s3?: S3Options | undefined;
  /** False: broadcasts are not recorded and stay LIVE_STOPPED. */
  readonly record: boolean;
  readonly enforce: 'report' | 'strict';
  /** Part of the disk to keep free; a tenth by default. */
  readonly diskReserve?: DiskReserve;
  /** How long recording files are kept; 0 or absent: forever. */
  readonly retentionDays?: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly holder: string;
  readonly quota: OwnerQuota;
  /** Absent: another process opens media and runs the jobs. */
  readonly media: MediaPort | undefined;
  /** Prints of sound; absent like `media`. */
  readonly prints?: DetectorDeps['prints'] | undefined;
  /** Why uploads are refused, if they are. */
  readonly uploadRefusal?: UploadServiceDeps['refusal'];
  /** Signing keys of file links are derived from it. */
  readonly serverKey: Uint8Array;
  readonly previousKey?: PreviousKey | undefined;
  readonly errors: ErrorSink;
  /** Lifecycle inputs of these names; an input that no longer applies resolves as well. */
  readonly processingStarted: (liveVideoId: string) => Promise<void>;
  readonly processingDone: (liveVideoId: string) => Promise<void>;
  readonly tokens?: FileTokens;
  readonly fetch?: UploadServiceDeps['fetch'];
}

export interface Vod {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly links: FileLinks;
  /** For `/files`. */
  readonly files: FileHandler;
  /** A tap source for ingest. */
  open(stream: RecordedStream, when: 'publish' | 'live'): RecordingTap | undefined;
  /** A LIVE broadcast has ended. */
  onEnded(live: StoredObject<LiveVideoData>): void;
  readonly jobs: JobQueue;
  /** In the process that opens media. */
  readonly detector: CopyrightDetector | undefined;
  /** Like `detector`. */
  readonly clips: MatchClips | undefined;
  readonly sweeper: Sweeper;
  /** Size of the recordings on this disk that are not yet a finished video. */
  spoolBytes(): Promise<number>;
  /** State of the disk of the data folder: free bytes, and the reserve. */
  disk(): Promise<{ readonly freeBytes: number; readonly reserveBytes: number }>;
  recorderCounts(): RecorderCounts;
  /** Bytes removed by retention in this process. */
  retentionBytes(): number;
  /** Call `closeRecorder` first, once no more packets arrive; the store must still be open. */
  close(): Promise<void>;
}

/** The last packets of a connection are still being written when its broadcast ends. */
const AFTER_END_MS = 1_000;

/** The shared parts of this module. */
interface Parts {
  readonly blobs: Blobs & { close?(): void };
  readonly work: WorkFolder;
  readonly segments: Segments;
  readonly recorder: Recorder;
  readonly uploader: SegmentUploader;
  readonly videos: VideoWriter;
  readonly jobs: JobQueue;
  readonly uploads: UploadService;
  readonly retention: Retention;
  readonly sweeper: Sweeper;
  readonly reserve: DiskReserve;
  readonly references: ReferenceIndex;
  readonly detector: CopyrightDetector | undefined;
}

export async function openVod(options: VodOptions): Promise<Vod> {
  const { dataDir, store, clock, ids, log, holder, quota, diskReserve: reserve = TENTH } = options;
  const blobs = await openBlobs({ dataDir, s3: options.s3, nowMs: clock.wallMs() });
  const work = await WorkFolder.open(join(dataDir, 'work'));
  const jobs = new JobQueue({ store, clock, log, holder });
  const recording = openRecording(options, blobs, reserve, jobs);
  const { segments, recorder, uploader } = recording;
  await recorder.freeSpace.start();

  const videos = new VideoWriter(store.objects, clock, ids);
  const fetching = options.fetch === undefined ? {} : { fetch: options.fetch };
  const shared = { store, blobs, jobs, clock, work, segments };
  const uploads = new UploadService({
    ...shared,
    videos,
    ids,
    quota,
    reserve,
    refusal: options.uploadRefusal,
    ...fetching,
  });
  const { resumable } = uploads;
  const days = options.retentionDays ?? 0;
  const retention = new Retention({ store, blobs, jobs, videos, clock, log, days });
  const sweeper = new Sweeper({ ...shared, resumable, recorder, retention, log, holder });
  const references = new ReferenceIndex({ store, blobs, log });
  const { prints } = options;
  const detector = prints && new CopyrightDetector({ store, blobs, work, clock, log, prints, references });
  const parts: Parts = {
    ...recording,
    blobs,
    work,
    videos,
    jobs,
    uploads,
    retention,
    sweeper,
    reserve,
    references,
    detector,
  };

  detector?.start();
  if (options.media !== undefined) jobs.start(jobWorkers(options, options.media, parts));
  sweeper.start();
  uploader.start(recorder);
  return joined(options, parts);
}

function openRecording(
  options: VodOptions,
  blobs: Blobs,
  reserve: DiskReserve,
  jobs: JobQueue,
): Pick<Parts, 'segments' | 'recorder' | 'uploader'> {
  const { store, clock, log } = options;
  const folder = join(options.dataDir, 'recordings');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const segments = new Segments({ folder, blobs, store, clock, log });
  const uploader = new SegmentUploader({
    segments,
    blobs,
    log,
    onUploaded: (liveVideoId, name) => {
      if (recorder.isRecording(liveVideoId)) return;
      makeAgain(store, jobs, liveVideoId, name).catch((error: unknown) => {
        log.warn({ liveVideoId, error }, 'a video could not be made again with a part that turned up');
      });
    },
  });
  const recorder: Recorder = new Recorder({
    folder,
    clock,
    log,
    inParts: blobs.kind !== 'folder',
    reserve,
    onSegmentOpened: (liveVideoId, name) => segments.begun(liveVideoId, name),
    onSegmentClosed: (liveVideoId, name) => uploader.upload(liveVideoId, name),
  });
  return { segments, recorder, uploader };
}

/** The video was made without this segment. */
async function makeAgain(store: Store, jobs: JobQueue, liveVideoId: string, name: string): Promise<void> {
  const found = await recordedVideo(store, liveVideoId);
  const video = found && (await store.objects.get<VideoData>(found.videoId));
  if (video?.data.missingParts?.includes(name)) await jobs.add('recording', liveVideoId);
}

function jobWorkers(options: VodOptions, media: MediaPort, parts: Parts): JobWorkers {
  const { store, clock, log, enforce, errors, processingStarted, processingDone } = options;
  const { blobs, work, segments, recorder, videos, uploads, reserve } = parts;
  const room = new ConversionRoom({ folder: work.root, reserve });
  const comparing = {
    isDue: () => parts.references.hasAny(),
    order: (videoId: string) => parts.jobs.add('fingerprint', videoId),
  };
  const shared = { blobs, media, videos, log, clock, work, room, ...(options.prints ? { comparing } : {}) };
  return {
    recording: new RecordingWorker({
      ...shared,
      segments,
      errors,
      videoOf: async (id) => (await recordedVideo(store, id))?.videoId,
      isRecording: (id) => recorder.isRecording(id),
      processingStarted,
      processingDone,
    }),
    upload: new UploadWorker({ ...shared, store, enforce, errors, resumable: uploads.resumable }),
    publish: new PublishWorker(videos, clock),
    fingerprint: fingerprintWorker(options, parts),
  };
}

function fingerprintWorker(options: VodOptions, parts: Parts): JobWorker {
  const { store, clock, log, prints } = options;
  const { blobs, work, videos, references } = parts;
  // Without media tools no job runs here.
  if (prints === undefined) return NO_WORK;
  return new FingerprintWorker({ store, blobs, clock, log, work, videos, prints, references });
}

const NO_WORK: JobWorker = { run: async () => undefined, giveUp: async () => undefined };

function joined(options: VodOptions, parts: Parts): Vod {
  const { record, log, tokens, prints } = options;
  const { blobs, work, segments, recorder, uploader, jobs, uploads, retention, sweeper, reserve, detector } = parts;
  const links = new SignedLinks(options.serverKey, options.clock, options.previousKey);
  return {
    blobs,
    uploads,
    links,
    jobs,
    detector,
    clips: prints && new MatchClips({ store: options.store, blobs, work, prints, log }),
    sweeper,
    spoolBytes: () => segments.localBytes(),
    async disk() {
      const { freeBytes, diskBytes } = await diskState(options.dataDir);
      return { freeBytes, reserveBytes: reserve.bytesOf(diskBytes) };
    },
    recorderCounts: () => recorder.counts,
    retentionBytes: () => retention.removedBytes,
    files: fileHandler({ blobs, links, log, ...defined({ tokens }) }),
    open: (stream, when) => (record ? recorder.open(stream, when) : undefined),
    onEnded(live) {
      if (!record) return;
      jobs.add('recording', live.id, {}, AFTER_END_MS).catch((error: unknown) => {
        log.warn({ liveVideoId: live.id, error }, 'cannot add a recording job; the sweep will add it');
      });
    },
    async close() {
      detector?.close();
      await recorder.close();
      await uploader.close();
      await sweeper.close();
      await jobs.close();
      await work.close();
      blobs.close?.();
    },
  };
}
