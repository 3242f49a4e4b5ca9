/**
 * Upload to video: the file is probed and held against the uploaded-video specification, each fault recorded under the
 * video; what a player cannot take as it is becomes a fast-start MP4; then pictures, then ready.
 * A file that is no listed container, cannot be read or is more than is processed is refused; other faults refuse it only
 * under strict enforcement. A job begins in the lane of copies; one that has to encode goes on in a lane of conversions.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoData } from '../../broadcast/documents.js';
import type { ProbedFile } from '../../facts/probed-file.js';
import { isCode } from '../../lib/errors.js';
import type { Clock, JournalEntry, Store } from '../../ports/index.js';
import { fileRecords } from '../../rules/judging/file-records.js';
import type { RecordBody } from '../../spec/error-record.js';
import { incomingPrefix } from '../blobs/blob-key.js';
import type { WorkFolder } from '../disk/work-folder.js';
import { FinalJobError, type Job, type JobWorker, LANE_NAMES, type Lane, laneOf, OtherLaneError } from '../jobs/job.js';
import type { ResumableUploads } from '../uploads/resumable.js';
import { type Video, VideoGoneError } from '../videos/video-writer.js';
import type { ConversionRoom } from './conversion-room.js';
import { type Encoding, laneFor, limitMs, tooMuch } from './effort.js';
import { fetchSource } from './fetch-source.js';
import {
  isServerFault,
  reasonOf,
  tellOfFailure,
  tellOfRetry,
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
  /** Where error records go first. */
  readonly errors: { record(entry: JournalEntry): void };
}

/** Without one of these the rest of the specification means nothing. */
const REFUSED_ALWAYS: readonly number[] = [6701, 6707];
/** An upload has one judge, so its records need no other fence. */
const FENCE = 1;
/** Containers that browsers play as they are, when what is in them is right. */
const PLAYABLE: readonly string[] = ['mp4', 'm4v', 'f4v'];
const PLAYABLE_PIXELS: readonly string[] = ['yuv420p', 'yuvj420p'];

export class UploadWorker implements JobWorker {
  readonly #deps: UploadJobDeps;

  constructor(deps: UploadJobDeps) {
    this.#deps = deps;
  }

  async run(job: Job, signal: AbortSignal): Promise<void> {
    const videoId = job.data.subjectId;
    try {
      const video = await this.#deps.videos.load(videoId);
      // A crash between the last write and the end of the job: only the clearing is left.
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
    const refusal = records.find(
      ({ error_code: code, severity }) =>
        REFUSED_ALWAYS.includes(code) || (this.#deps.enforce === 'strict' && severity === 'error'),
    );
    if (refusal !== undefined) {
      await videos.change(video.id, (data) => refused(data, records));
      return;
    }
    const excess = tooMuch(probed);
    if (excess !== undefined) throw new FinalJobError(excess);
    const path = await this.#streamable(job, source, probed, folder, signal);
    const final = path === source ? probed : await media.probe(path, signal);
    if (final.facts.fault !== undefined) throw new Error(`what was made cannot be read: ${final.facts.fault}`);
    await publishVideo(this.#deps, { videoId: video.id, path, probed: final, folder, signal });
  }

  /** Records under the video's id. A container that was not opened has no other fault that is known. */
  #judge(videoId: string, probed: ProbedFile): RecordBody[] {
    const records = fileRecords(probed.facts, this.#deps.clock.wallMs(), (n) => `${videoId}_${FENCE}_${n}`);
    const unlisted = records.filter((record) => record.error_code === 6701);
    const kept = probed.demuxer === undefined && unlisted.length > 0 ? unlisted : records;
    kept.forEach((body, index) => {
      this.#deps.errors.record({
        broadcastId: videoId,
        fence: FENCE,
        number: index + 1,
        change: { change: 'raised', body: { ...body, id: `${videoId}_${FENCE}_${index + 1}` } },
      });
    });
    return kept;
  }

  /** The file itself when a player takes it as it is, else what is made of it. */
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
    if (video === undefined || demuxer === undefined) throw new FinalJobError('there is no video in the file');
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
          onProgress: (part) => progress.report(part),
          signal: whileRoom,
        }),
      );
      return output;
    };
    try {
      if (!copyVideo && !copyAudio) return await attempt(false);
      return await attempt(true).catch((error: unknown) => {
        if (!isCode(error, 'TOOL_FAILED')) throw error;
        log.info({ videoId, error }, 'an upload cannot be copied into an MP4; it is encoded');
        return attempt(false);
      });
    } catch (error) {
      if (isCode(error, 'JOB_OTHER_LANE')) throw error;
      // The same bytes fail the same way tomorrow, unless it was the disk.
      await room.require(0);
      if (isCode(error, 'TOOL_LIMIT'))
        throw new FinalJobError('it takes longer than a file of its length and size may');
      if (isCode(error, 'TOOL_FAILED')) throw new FinalJobError(reasonOf(error));
      throw error;
    } finally {
      await progress.settled();
    }
  }

  async #clear(job: Job): Promise<void> {
    const { blobs, resumable, store } = this.#deps;
    const { sessionId, subjectId } = job.data;
    if (typeof sessionId === 'string') {
      const session = await store.objects.get<{ ownerId: string }>(sessionId);
      if (session !== undefined) await resumable.forget(sessionId, session.data.ownerId);
    }
    await blobs.delete(`${incomingPrefix(subjectId)}source`);
  }

  async giveUp(job: Job, error: unknown): Promise<void> {
    const message = `The video could not be processed: ${reasonOf(error)}`;
    await tellOfFailure(this.#deps.videos, job.data.subjectId, message);
    await this.#clear(job);
  }

  delayed(job: Job, error: unknown): Promise<void> {
    return tellOfRetry(this.#deps.videos, job.data.subjectId, error);
  }
}

/** A conversion never takes a slot of copies, nor a long one that of the short ones. @throws OtherLaneError */
function requireLane(current: Lane, needed: Lane): void {
  if (LANE_NAMES.indexOf(needed) > LANE_NAMES.indexOf(current)) throw new OtherLaneError(needed);
}

function refused(data: VideoData, records: readonly RecordBody[]): VideoData {
  const phaseErrors = records.map((record) => ({ code: record.error_code, message: record.description }));
  return { ...withoutProcessingErrors(data), chargedBytes: 0, videoStatus: 'error', phaseErrors };
}
