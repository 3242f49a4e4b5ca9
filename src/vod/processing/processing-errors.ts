/** Status of a video while its job is blocked, and of one whose job failed. */

import { isCode } from '../../lib/errors.js';
import type { VideoData } from '../../lifecycle/documents.js';
import type { Log } from '../../ports/index.js';
import { DISK } from '../../store/disk/limits.js';
import { JobNotYetError } from '../jobs/job.js';
import { VideoGoneError, type VideoWriter } from '../videos/video-writer.js';

/** Graph API code 2: service temporarily unavailable. Code 6000: problem with the video. */
const SERVICE_DOWN = 2;
const VIDEO_PROBLEM = 6000;
const TOOLS_RETRY_MS = 10_000;

/** ffmpeg or ffprobe cannot be run, or the disk is full: not the file's fault, so attempts are not counted. */
export function isServerFault(error: unknown): boolean {
  return isCode(error, 'PROBE_UNAVAILABLE') || isCode(error, 'TOOL_MISSING') || isNoRoom(error);
}

const isNoRoom = (error: unknown): boolean => isCode(error, 'NO_ROOM');

/** Sets the video to `error` with the reason; its job retries until the server has recovered. */
export async function waitForServer(
  { videos, log }: { readonly videos: VideoWriter; readonly log: Log },
  videoId: string,
  error: unknown,
): Promise<JobNotYetError> {
  const what = isNoRoom(error) ? 'not enough disk space for a conversion' : 'media tool cannot be run';
  const retryMs = isNoRoom(error) ? DISK.retryMs : TOOLS_RETRY_MS;
  log.warn({ videoId, error, retryMs }, `${what}; processing delayed`);
  const message = `The video cannot be processed now: ${reasonOf(error)}. Processing resumes when the problem is fixed.`;
  await change(videos, videoId, (data) => ({
    ...data,
    videoStatus: 'error',
    isRetried: true,
    phaseErrors: [{ code: SERVICE_DOWN, message }],
  }));
  return new JobNotYetError(what, retryMs);
}

/** The job failed once and will be retried: the video stays in processing and shows the reason. */
export function reportRetry(videos: VideoWriter, videoId: string, error: unknown): Promise<void> {
  const message = `Processing failed and will be retried: ${reasonOf(error)}`;
  return change(videos, videoId, (data) => ({ ...data, phaseErrors: [{ code: VIDEO_PROBLEM, message }] }));
}

/** The job failed permanently. */
export function reportFailure(videos: VideoWriter, videoId: string, message: string): Promise<void> {
  return change(videos, videoId, (data) => ({
    ...withoutProcessingErrors(data),
    chargedBytes: 0,
    videoStatus: 'error',
    phaseErrors: [{ code: VIDEO_PROBLEM, message }],
  }));
}

/** The document without the errors written by this file. */
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

/** Without file paths, which file-system errors contain. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'syscall' in error && 'code' in error ? `${error.code} from ${error.syscall}` : error.message;
}
