/** Estimates the work for a probed file before processing: its lane, its time limit, and whether it is refused. Pure. */
import type { ProbedFile } from '../../facts/probed-file.js';
import type { Lane } from '../jobs/job.js';

/** Limits of processing an upload, with their reasons. Work is counted in pixels: for each frame the larger of decoded and encoded pixels. */
export const PROCESSING = {
  /** A day of 1080p30, or three hours of 2160p60: more than any event, and about 11 hours of work for two cores. */
  pixelsMax: 86_400 * 1920 * 1080 * 30,
  /** 8192 × 4320 (8K). A decoder holds up to 17 frames; larger frames would fill the memory that a conversion may use. */
  framePixelsMax: 8192 * 4320,
  /** Each frame has a fixed cost: many small frames are not nearly free. */
  framePixelsLeast: 20_000,
  /** Assumed when the file has no duration: a frame rate that few files exceed. */
  frameRateAssumed: 60,
  /** Minimum frame rate to count: a frame that is shown for an hour is still repeated by players. */
  frameRateLeast: 1,
  /** Encoding one second of audio takes as long as this many pixels. */
  audioSecondPixels: 1_000_000,
  /** Up to this a conversion is short: about 3 s of one core (720p; 66 million pixels/s measured). */
  shortPixelsMax: 200_000_000,
  /** Time limit of a conversion: fixed start time, then its work at a third of the speed of one core. */
  startMs: 120_000,
  pixelsPerSecond: 20_000_000,
  /** Time limit of a copy: a slower disk could not record a broadcast either. */
  copyBytesPerSecond: 2_000_000,
  /** Upper bound, as the duration in the file may be missing or wrong. */
  limitMaxMs: 24 * 3_600_000,
  /** Maximum output width, as the converter scales. */
  widthMade: 1920,
} as const;

export interface Encoding {
  readonly video: boolean;
  readonly audio: boolean;
}

/** Total pixels of the video; undefined when the length is unknown. */
function videoPixels({ facts, video, lengthMs }: ProbedFile): number | undefined {
  if (lengthMs <= 0) return undefined;
  const { frameRateAssumed, frameRateLeast, framePixelsLeast } = PROCESSING;
  const rate = Math.max(frameRateLeast, video?.frameRate ?? frameRateAssumed);
  return (lengthMs / 1000) * rate * Math.max(framePixelsLeast, framePixels(facts.video));
}

/** The larger of the coded and the output frame: the sample aspect ratio can enlarge the output. */
function framePixels(video: ProbedFile['facts']['video']): number {
  if (video === undefined) return 0;
  const { width, height, sampleAspect } = video;
  const shownWidth = Math.max(1, width * sampleAspect);
  const madeWidth = Math.min(PROCESSING.widthMade, shownWidth);
  return Math.max(width * height, (madeWidth * height * madeWidth) / shownWidth);
}

/** Why the file is refused; undefined if it is accepted. */
export function excessReason(probed: ProbedFile): string | undefined {
  const { facts, video, lengthMs } = probed;
  if (facts.video === undefined) return undefined;
  const { pixelsMax, framePixelsMax } = PROCESSING;
  const size = `${facts.video.width}x${facts.video.height}`;
  if (framePixels(facts.video) > framePixelsMax) {
    return `frames of ${size} are too large; at most ${framePixelsMax} pixels are accepted`;
  }
  if ((videoPixels(probed) ?? 0) <= pixelsMax) return undefined;
  const rate = video?.frameRate === undefined ? '' : ` at ${Number(video.frameRate.toFixed(2))} frames a second`;
  const hours = Number((lengthMs / 3_600_000).toFixed(1));
  return `${hours} h of ${size}${rate} is too much to process; at most as much as 24 h of 1920x1080 at 30 is accepted`;
}

/** Pixels to encode; undefined when the length is unknown. */
function effort(probed: ProbedFile, encoding: Encoding): number | undefined {
  const pixels = encoding.video ? videoPixels(probed) : 0;
  if (pixels === undefined || probed.lengthMs <= 0) return undefined;
  return pixels + (encoding.audio ? (probed.lengthMs / 1000) * PROCESSING.audioSecondPixels : 0);
}

export function laneFor(probed: ProbedFile, encoding: Encoding): Lane {
  if (!encoding.video && !encoding.audio) return 'copy';
  return (effort(probed, encoding) ?? Number.POSITIVE_INFINITY) <= PROCESSING.shortPixelsMax ? 'short' : 'long';
}

/** Time limit of the conversion, for a busy machine. A conversion that exceeds it is not what the file's header claims. */
export function limitMs(probed: ProbedFile, encoding: Encoding): number {
  const { startMs, pixelsPerSecond, copyBytesPerSecond, limitMaxMs } = PROCESSING;
  const seconds = (effort(probed, encoding) ?? Number.POSITIVE_INFINITY) / pixelsPerSecond;
  const copySeconds = probed.sizeBytes / copyBytesPerSecond;
  const isCopy = !encoding.video && !encoding.audio;
  return Math.min(limitMaxMs, Math.ceil(startMs + (copySeconds + (isCopy ? 0 : seconds)) * 1000));
}
