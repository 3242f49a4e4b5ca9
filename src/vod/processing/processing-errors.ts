/** Status of a video while its job is blocked, and of one whose job failed. */
import type { VideoData } from '../../broadcast/documents.js';
import { isCode } from '../../lib/errors.js';
import type { Log } from '../../ports/index.js';
import { DISK } from '../disk/limits.js';
import { JobNotYetError } from '../jobs/job.js';
import { VideoGoneError, type VideoWriter } from '../videos/video-writer.js';

/** Code 2 of the conventions: the service is down for a time. Code 6000: something is wrong with the video. */
const SERVICE_DOWN = 2;
const VIDEO_PROBLEM = 6000;
const TOOLS_RETRY_MS = 10_000;

/** ffmpeg or ffprobe does not run, or the disk is full: no fault of the file, and none that a limited number of attempts should end. */
export function isServerFault(error: unknown): boolean {
  return isCode(error, 'PROBE_UNAVAILABLE') || isCode(error, 'TOOL_MISSING') || isNoRoom(error);
}

const isNoRoom = (error: unknown): boolean => isCode(error, 'NO_ROOM');

/** The video reads `error` with the reason, and its job waits for the server however long it takes. */
export async function waitForServer(
  { videos, log }: { readonly videos: VideoWriter; readonly log: Log },
  videoId: string,
  error: unknown,
): Promise<JobNotYetError> {
  const what = isNoRoom(error) ? 'the disk has no room for a conversion' : 'a media tool does not run';
  const retryMs = isNoRoom(error) ? DISK.retryMs : TOOLS_RETRY_MS;
  log.warn({ videoId, error, retryMs }, `${what}; the video waits for it`);
  const message = `The video cannot be processed now: ${reasonOf(error)}. It is tried again until that is mended.`;
  await change(videos, videoId, (data) => ({
    ...data,
    videoStatus: 'error',
    isRetried: true,
    phaseErrors: [{ code: SERVICE_DOWN, message }],
  }));
  return new JobNotYetError(what, retryMs);
}

/** It failed once, and will be tried again: it is still being processed, and says what went wrong. */
export function tellOfRetry(videos: VideoWriter, videoId: string, error: unknown): Promise<void> {
  const message = `Processing failed and is tried again: ${reasonOf(error)}`;
  return change(videos, videoId, (data) => ({ ...data, phaseErrors: [{ code: VIDEO_PROBLEM, message }] }));
}

/** It failed for good. */
export function tellOfFailure(videos: VideoWriter, videoId: string, message: string): Promise<void> {
  return change(videos, videoId, (data) => ({
    ...withoutProcessingErrors(data),
    chargedBytes: 0,
    videoStatus: 'error',
    phaseErrors: [{ code: VIDEO_PROBLEM, message }],
  }));
}

/** The document without what this file wrote. */
export function withoutProcessingErrors(data: VideoData): VideoData {
  const { phaseErrors: _resolved, isRetried: _going, ...rest } = data;
  return rest;
}

async function change(videos: VideoWriter, videoId: string, edit: (data: VideoData) => VideoData): Promise<void> {
  try {
    await videos.change(videoId, edit);
  } catch (error) {
    if (!(error instanceof VideoGoneError)) throw error;
  }
}

/** Without paths of our disk, which faults of the file system name. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'syscall' in error && 'code' in error ? `${error.code} from ${error.syscall}` : error.message;
}
