/**
 * Turns a recording into a video: joins the segments into one fast-start MP4 (stream copy if possible), takes pictures,
 * sets the Video to ready, and moves the live video from PROCESSING to VOD.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { serviceRecord } from '../../judge/service-record.js';
import { isCode } from '../../lib/errors.js';
import type { VideoData } from '../../lifecycle/documents.js';
import { type Clock, type ErrorSink, type JournalEntry, type Log, RECORD_FENCES } from '../../ports/index.js';
import { FlvJoiner, type JoinerFindings } from '../../recording/flv-joiner.js';
import { joinedStream, NeedsEncodingError, type Segment } from '../../recording/joined-stream.js';
import { RECORDER } from '../../recording/limits.js';
import type { Segments } from '../../recording/segments.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { FinalJobError, type Job, JobNotYetError, type JobWorker, laneOf, OtherLaneError } from '../jobs/job.js';
import { VideoGoneError } from '../videos/video-writer.js';
import type { ConversionRoom } from './conversion-room.js';
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

export interface RecordingDeps extends PublishDeps {
  readonly segments: Segments;
  readonly work: WorkFolder;
  readonly room: ConversionRoom;
  readonly clock: Clock;
  /** `undefined`: it was deleted. */
  videoOf(liveVideoId: string): Promise<string | undefined>;
  /** The journal of error records. */
  readonly errors: ErrorSink;
  /** A repeated job moves it again; a transition that was already made is not an error. */
  readonly states: {
    processing(liveVideoId: string, step: 'processing-started' | 'processing-done'): Promise<void>;
  };
}

/** How long to wait for segments that other machines are still uploading before going on without them. */
const MISSING_WAIT_MS = 10_000;
const MISSING_RETRY_MS = 1_000;
const WRITING_RETRY_MS = 500;
const NO_RECORDING = 'no part of the broadcast was recorded';

export class RecordingWorker implements JobWorker {
  readonly #deps: RecordingDeps;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
  }

  async run(job: Job, signal: AbortSignal): Promise<void> {
    const { segments, work, room, log } = this.#deps;
    const liveVideoId = job.data.subjectId;
    const videoId = await this.#deps.videoOf(liveVideoId);
    if (videoId === undefined) {
      await segments.remove(liveVideoId);
      return;
    }
    if (await segments.areGrowing(liveVideoId)) {
      throw new JobNotYetError('the last segment is still being written', WRITING_RETRY_MS);
    }
    await this.#deps.states.processing(liveVideoId, 'processing-started');
    const found = await segments.find(liveVideoId);
    if (found.missing.length > 0 && this.#deps.clock.wallMs() - job.createdMs < MISSING_WAIT_MS) {
      throw new JobNotYetError('segments on another machine cannot be read yet', MISSING_RETRY_MS);
    }
    try {
      if (found.missing.length > 0) await this.#noteMissing(liveVideoId, videoId, found.missing);
      if (found.segments.length === 0) throw new FinalJobError(NO_RECORDING);
      await work.within((folder) =>
        room.run(found.bytes, signal, (whileRoom) => this.#make(job, videoId, found.segments, folder, whileRoom)),
      );
    } catch (error) {
      if (isServerFault(error)) throw await waitForServer(this.#deps, videoId, error);
      // Deleted meanwhile: the result is not needed.
      if (!(error instanceof VideoGoneError)) throw error;
    }
    await this.#deps.states.processing(liveVideoId, 'processing-done');
    if (found.missing.length === 0) return this.#forget(liveVideoId, videoId);
    // The segments are needed again when the missing ones turn up.
    log.warn({ liveVideoId, missing: found.missing }, 'the video has a gap: segments are missing');
    const { missing } = await segments.find(liveVideoId);
    if (missing.length < found.missing.length) {
      throw new JobNotYetError('missing segments turned up meanwhile', MISSING_RETRY_MS);
    }
  }

  async #forget(liveVideoId: string, videoId: string): Promise<void> {
    const { segments, videos, errors, clock } = this.#deps;
    try {
      const { missingParts, missingRecord } = (await videos.load(videoId)).data;
      if (missingRecord !== undefined) void errors.append([cleared(liveVideoId, missingRecord, clock.wallMs())]);
      if (missingParts !== undefined) {
        await videos.change(videoId, ({ missingParts: _found, missingRecord: _cleared, ...rest }) => rest);
      }
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
    }
    await segments.remove(liveVideoId);
  }

  /** Remembers with the video what is missing and the record of it, which is raised once. */
  async #noteMissing(liveVideoId: string, videoId: string, missing: readonly string[]): Promise<void> {
    const { videos, errors, clock } = this.#deps;
    const { data } = await videos.load(videoId);
    const missingRecord = data.missingRecord ?? missingPartsRecord(liveVideoId, missing, clock.wallMs());
    await videos.change(videoId, (before) => ({ ...before, missingParts: missing, missingRecord }));
    void errors.append([raised(liveVideoId, missingRecord)]);
  }

  async #make(
    job: Job,
    videoId: string,
    parts: readonly Segment[],
    folder: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { videos, media, clock, log } = this.#deps;
    const { data } = await videos.load(videoId);
    // A video that is made again stays as it is until then.
    const isReady = data.videoStatus === 'ready';
    // A retried job keeps its error until the tool has run.
    if (!data.isRetried && !isReady) await videos.change(videoId, processing);
    const progress = new Progress(videos, videoId, clock, log);
    const path = join(folder, 'recording.mp4');
    await this.#join(job, parts, path, signal);
    if (data.isRetried) await videos.change(videoId, processing);
    progress.report(0.8);
    const probed = await media.probe(path, signal);
    if (probed.facts.fault !== undefined) throw new Error(`the recording cannot be read: ${probed.facts.fault}`);
    await progress.settled();
    await publishVideo(this.#deps, { videoId, path, probed, folder, signal });
  }

  /** Copies the streams; what cannot be copied is re-encoded in the lane of long conversions. */
  async #join(job: Job, segments: readonly Segment[], output: string, signal: AbortSignal): Promise<void> {
    const { media, log } = this.#deps;
    const tracks = await tracksOf(segments, log);
    if (tracks.video + tracks.audio === 0) throw new FinalJobError(NO_RECORDING);
    const attempt = (copy: boolean) => {
      const codec = copy ? 'copy' : 'encode';
      return media.convert({
        input: joinedStream({ segments, copy, log }),
        demuxer: 'flv',
        output,
        video: tracks.video > 0 ? codec : 'none',
        audio: tracks.audio > 0 ? codec : 'none',
        signal,
      });
    };
    try {
      await attempt(true);
    } catch (error) {
      if (!(error instanceof NeedsEncodingError) && !isCode(error, 'TOOL_FAILED')) throw error;
      if (laneOf(job.data) !== 'long') throw new OtherLaneError('long');
      log.warn({ error }, 'recording cannot be copied into an MP4; encoding it');
      await attempt(false);
    }
  }

  /** The broadcast ends in any case; its video shows the error. */
  async giveUp(job: Job, error: unknown): Promise<void> {
    const liveVideoId = job.data.subjectId;
    const videoId = await this.#deps.videoOf(liveVideoId);
    if (videoId === undefined) return;
    const { data } = await this.#deps.videos.load(videoId);
    if (data.videoStatus === 'ready') {
      this.#deps.log.error({ liveVideoId, error }, 'a video could not be made again with the parts that turned up');
      return;
    }
    const message = `The recording could not be processed: ${reasonOf(error)}`;
    await reportFailure(this.#deps.videos, videoId, message);
    await this.#deps.states.processing(liveVideoId, 'processing-done');
  }

  async delayed(job: Job, error: unknown): Promise<void> {
    const videoId = await this.#deps.videoOf(job.data.subjectId);
    if (videoId !== undefined) await reportRetry(this.#deps.videos, videoId, error);
  }
}

function processing(data: VideoData): VideoData {
  return { ...withoutProcessingErrors(data), videoStatus: 'processing', processingProgress: 0 };
}

/** Finds the tracks: reads until both were seen, or to the end of a stream with only one. */
async function tracksOf(segments: readonly Segment[], log: Log): Promise<JoinerFindings> {
  const joiner = new FlvJoiner();
  for await (const _ of joinedStream({ segments, copy: false, log, joiner })) {
    if (joiner.findings.audio > 0 && joiner.findings.video > 0) break;
  }
  return joiner.findings;
}

const REMEDY = 'No change in the encoder is needed: the video is made again when the rest arrives.';

type MissingRecord = NonNullable<VideoData['missingRecord']>;

/** A gap (6506): the video was made before all parts were uploaded. */
function missingPartsRecord(liveVideoId: string, missing: readonly string[], nowMs: number): MissingRecord {
  const fence = randomInt(RECORD_FENCES.unjudged.min, RECORD_FENCES.unjudged.max);
  const [what, them] = missing.length === 1 ? ['1 part', 'it'] : [`${missing.length} parts`, 'them'];
  const seconds = (missing.length * RECORDER.partMsMax) / 1_000;
  const observed = `${what}, at most ${seconds} s, which the server that received ${them} has not uploaded`;
  const id = `${liveVideoId}_${fence}_1`;
  const notice = { id, code: SERVICE_CODES.recordingGap, observed, timestampMs: nowMs, clearedMs: null };
  return { fence, body: serviceRecord(notice, REMEDY) };
}

/** The journal applies each of both once, however often it is told. */
export function raised(broadcastId: string, { fence, body }: MissingRecord): JournalEntry {
  return { broadcastId, fence, number: 1, change: { change: 'raised', body } };
}

export function cleared(broadcastId: string, { fence, body }: MissingRecord, nowMs: number): JournalEntry {
  const openMs = Math.max(0, nowMs - body.timestampMs);
  const change = { change: 'cleared', body: { ...body, cleared_time_ms: nowMs, open_ms: openMs } } as const;
  return { broadcastId, fence, number: 2, change };
}
