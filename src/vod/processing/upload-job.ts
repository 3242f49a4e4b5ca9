/**
 * Turns an upload into a video: probes the file, checks it against the uploaded-video specification and records each fault
 * under the video, converts it to fast-start MP4 unless players can use it as it is, then takes pictures.
 * A file of no listed container, unreadable or beyond the processing limits is refused; other faults refuse it only under
 * strict enforcement. A job starts in the copy lane; one that must encode continues in a conversion lane.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProbedFile } from '../../facts/probed-file.js';
import { isCode } from '../../lib/errors.js';
import type { VideoData } from '../../lifecycle/documents.js';
import type { Clock, ErrorSink, Store } from '../../ports/index.js';
import { fileRecords } from '../../rules/judging/file-records.js';
import { uploadContainer } from '../../rules/upload/container.js';
import { uploadReadable } from '../../rules/upload/readable.js';
import type { RecordBody } from '../../spec/error-record.js';
import { incomingPrefix } from '../../store/blobs/blob-key.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { FinalJobError, type Job, type JobWorker, LANE_NAMES, type Lane, laneOf, OtherLaneError } from '../jobs/job.js';
import type { ResumableUploads } from '../uploads/resumable.js';
import { type Video, VideoGoneError } from '../videos/video-writer.js';
import type { ConversionRoom } from './conversion-room.js';
import { type Encoding, excessReason, laneFor, limitMs } from './effort.js';
import { fetchSource } from './fetch-source.js';
import {
  isServerFault,
  reasonOf,
  reportFailure,
  reportRetry,
  waitForServer,
  withoutProcessingErrors,
} from './processing-errors.js';
import { Progress } from './progress.js';
import { type PublishDeps, publishVideo } from './publish-video.js';

export interface UploadJobDeps extends PublishDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly work: WorkFolder;
  readonly room: ConversionRoom;
  readonly enforce: 'report' | 'strict';
  readonly resumable: ResumableUploads;
  /** The journal of error records. */
  readonly errors: ErrorSink;
}

interface Recorded {
  readonly isRefused: boolean;
  readonly fence?: number;
}

/** With one of these faults no other rule can be evaluated. */
const REFUSED_ALWAYS: readonly number[] = [uploadContainer.entry.code, uploadReadable.entry.code];
/** An upload has a single judge, so constant fences are enough: one for its findings, one for their revision. */
const FENCE = 1;
const REVISION_FENCE = 2;
/** Containers that browsers play directly if the codecs are right. */
const PLAYABLE: readonly string[] = ['mp4', 'm4v', 'f4v'];
const PLAYABLE_PIXELS: readonly string[] = ['yuv420p', 'yuvj420p'];

export class UploadWorker implements JobWorker {
  readonly #deps: UploadJobDeps;
  /** Verdict on the file of a job. */
  readonly #judged = new WeakMap<Job, readonly RecordBody[]>();

  constructor(deps: UploadJobDeps) {
    this.#deps = deps;
  }

  async run(job: Job, signal: AbortSignal): Promise<void> {
    const videoId = job.data.subjectId;
    try {
      const video = await this.#deps.videos.load(videoId);
      // A crash after the last write left only the cleanup to do.
      if (video.data.videoStatus !== 'ready') {
        await this.#deps.work.within((folder) => this.#make(job, video, folder, signal));
      }
    } catch (error) {
      if (isServerFault(error)) throw await waitForServer(this.#deps, videoId, error);
      if (!(error instanceof VideoGoneError)) throw error;
    }
    await this.#clear(job);
  }

  async #make(job: Job, video: Video, folder: string, signal: AbortSignal): Promise<void> {
    const { media, videos } = this.#deps;
    const source = join(folder, 'source');
    await fetchSource(this.#deps, job, video, source, signal);
    const probed = await media.probe(source, signal);
    if (video.data.isRetried) {
      await videos.change(video.id, (data) => ({ ...withoutProcessingErrors(data), videoStatus: 'processing' }));
    }
    const records = this.#judge(video.id, probed);
    const isRefused = records.some(
      ({ error_code: code, severity }) =>
        REFUSED_ALWAYS.includes(code) || (this.#deps.enforce === 'strict' && severity === 'error'),
    );
    this.#judged.set(job, records);
    this.#record(video.id, records, { isRefused });
    if (isRefused) {
      await videos.change(video.id, (data) => refused(data, records));
      return;
    }
    const excess = excessReason(probed);
    if (excess !== undefined) throw new FinalJobError(excess);
    const path = await this.#streamable(job, source, probed, folder, signal);
    const final = path === source ? probed : await media.probe(path, signal);
    if (final.facts.fault !== undefined) throw new Error(`the converted file cannot be read: ${final.facts.fault}`);
    await publishVideo(this.#deps, { videoId: video.id, path, probed: final, folder, signal });
  }

  /** The faults of the file. A container that was not opened has no other known fault. */
  #judge(videoId: string, probed: ProbedFile): RecordBody[] {
    const records = fileRecords(probed.facts, this.#deps.clock.wallMs(), (n) => `${videoId}_${FENCE}_${n}`);
    const unlisted = records.filter((record) => record.error_code === uploadContainer.entry.code);
    return probed.demuxer === undefined && unlisted.length > 0 ? unlisted : records;
  }

  /**
   * Error records under the video's id. Without a video they stay open, with the published subcode; the faults of a video
   * that can be played are points in time with their own codes.
   */
  #record(videoId: string, records: readonly RecordBody[], { isRefused, fence = FENCE }: Recorded): void {
    const entries = records.map((record, index) => {
      const outcome = isRefused ? { cleared_time_ms: null } : { error_subcode: record.error_code };
      const body: RecordBody = { ...record, ...outcome, id: `${videoId}_${FENCE}_${index + 1}` };
      const change = { change: fence === FENCE ? 'raised' : 'counted', body } as const;
      return { broadcastId: videoId, fence, number: index + 1, change };
    });
    void this.#deps.errors.append(entries);
  }

  /** The file itself if players can use it, otherwise the converted one. */
  async #streamable(
    job: Job,
    source: string,
    probed: ProbedFile,
    folder: string,
    signal: AbortSignal,
  ): Promise<string> {
    const { media, videos, room, clock, log } = this.#deps;
    const { video, audio, demuxer, lengthMs } = probed;
    const videoId = job.data.subjectId;
    if (video === undefined || demuxer === undefined) throw new FinalJobError('the file has no video');
    const copyVideo = video.codec === 'h264' && PLAYABLE_PIXELS.includes(video.pixelFormat ?? '');
    const copyAudio = audio?.codec === 'aac';
    const playable = PLAYABLE.includes(probed.container) && copyVideo && (audio === undefined || copyAudio);
    if (playable && probed.fastStart) return source;
    const bytes = (await stat(source)).size;
    const progress = new Progress(videos, videoId, clock, log);
    const attempt = async (copy: boolean): Promise<string> => {
      const encoding: Encoding = {
        video: !(copy && copyVideo),
        audio: audio !== undefined && !(copy && copyAudio),
      };
      requireLane(laneOf(job.data), laneFor(probed, encoding));
      const output = join(folder, copy ? 'copied.mp4' : 'encoded.mp4');
      await room.run(bytes, signal, (whileRoom) =>
        media.convert({
          input: source,
          demuxer,
          output,
          video: encoding.video ? 'encode' : 'copy',
          audio: audio === undefined ? 'none' : encoding.audio ? 'encode' : 'copy',
          lengthMs,
          limitMs: limitMs(probed, encoding),
          progress,
          signal: whileRoom,
        }),
      );
      return output;
    };
    try {
      if (!copyVideo && !copyAudio) return await attempt(false);
      return await attempt(true).catch((error: unknown) => {
        if (!isCode(error, 'TOOL_FAILED')) throw error;
        log.info({ videoId, error }, 'upload cannot be copied into an MP4; encoding it');
        return attempt(false);
      });
    } catch (error) {
      if (isCode(error, 'JOB_OTHER_LANE')) throw error;
      // The same bytes would fail again, unless the disk was full.
      await room.require(0);
      if (isCode(error, 'TOOL_LIMIT'))
        throw new FinalJobError('processing takes longer than expected for its length and size');
      if (isCode(error, 'TOOL_FAILED')) throw new FinalJobError(reasonOf(error));
      throw error;
    } finally {
      await progress.settled();
    }
  }

  async #clear(job: Job): Promise<void> {
    const { blobs, resumable } = this.#deps;
    const { sessionId, subjectId } = job.data;
    if (typeof sessionId === 'string') await resumable.dropParts(sessionId);
    await blobs.delete(`${incomingPrefix(subjectId)}source`);
  }

  async giveUp(job: Job, error: unknown): Promise<void> {
    const message = `The video could not be processed: ${reasonOf(error)}`;
    await reportFailure(this.#deps.videos, job.data.subjectId, message);
    // The faults were recorded as those of a video that can be played; now there is none.
    this.#record(job.data.subjectId, this.#judged.get(job) ?? [], { isRefused: true, fence: REVISION_FENCE });
    await this.#clear(job);
  }

  delayed(job: Job, error: unknown): Promise<void> {
    return reportRetry(this.#deps.videos, job.data.subjectId, error);
  }
}

/** Conversions must not take copy slots, nor long ones short slots. @throws OtherLaneError */
function requireLane(current: Lane, needed: Lane): void {
  if (LANE_NAMES.indexOf(needed) > LANE_NAMES.indexOf(current)) throw new OtherLaneError(needed);
}

function refused(data: VideoData, records: readonly RecordBody[]): VideoData {
  const phaseErrors = records.map((record) => ({ code: record.error_code, message: record.description }));
  return { ...withoutProcessingErrors(data), chargedBytes: 0, videoStatus: 'error', phaseErrors };
}
