/** Settings of the video encoder for one request: size, frame rate and bitrate, from the specification's data. */
import { HIGHEST_FPS, LIVE, type LiveProfile } from '../spec/live.js';
import { FRAME_RATE, PICTURE } from '../spec/tolerances.js';
import { profileFor, profileNamed, targetKbps } from './profile-choice.js';
import { type Canvas, type FrameRate, fps, type GoLiveRequest } from './request.js';

/** What the operator set for this live video. */
export interface EncoderWishes {
  /** Short name of a profile: `720p30`. */
  readonly profile?: string;
  readonly videoKbps?: number;
}

export interface EncoderPlan {
  readonly profile: LiveProfile;
  readonly width: number;
  readonly height: number;
  readonly frameRate: FrameRate;
  readonly videoKbps: number;
  readonly audioKbps: number;
  readonly keyFrameIntervalS: number;
  readonly bFrames: number;
}

const ASPECT = LIVE.aspectRatio.width / LIVE.aspectRatio.height;

export function planFor(request: GoLiveRequest, wishes: EncoderWishes = {}): EncoderPlan {
  const { canvas, maxAggregateKbps } = request;
  const audioKbps = LIVE.audio.bitrateKbps.preferred;
  const maxKbps = maxAggregateKbps === undefined ? Number.POSITIVE_INFINITY : Math.max(0, maxAggregateKbps - audioKbps);
  const wished = wishes.profile === undefined ? undefined : profileNamed(wishes.profile);
  const profile =
    wished !== undefined && wished.videoBitrateKbps.min <= maxKbps
      ? wished
      : profileFor({
          ...pictureOf(canvas),
          frameRate: fps(dividedRate(canvas.frameRate, HIGHEST_FPS + FRAME_RATE.slackFps.value)),
          maxKbps,
        });
  const { min, max } = profile.videoBitrateKbps;
  const wanted = Math.min(max, Math.max(min, wishes.videoKbps ?? targetKbps(profile)));
  return {
    profile,
    ...sizeIn(profile, canvas),
    frameRate: frameRateIn(profile, canvas.frameRate),
    // Never above what the user allows, even if that is below the smallest range: the dialog says so.
    videoKbps: Math.max(1, Math.floor(Math.min(wanted, maxKbps))),
    audioKbps,
    keyFrameIntervalS: LIVE.keyFrameInterval.recommendedMs / 1000,
    bFrames: 2,
  };
}

/** Relative deviation of the canvas from 16:9. */
export function aspectDeviation({ canvasWidth, canvasHeight }: Canvas): number {
  return Math.abs(canvasWidth / canvasHeight / ASPECT - 1);
}

export function isWideScreen(canvas: Canvas): boolean {
  return aspectDeviation(canvas) <= PICTURE.aspectWarning.value;
}

/** The user's output size, unless it is larger than the canvas: enlarging costs bits and adds no detail. */
function pictureOf(canvas: Canvas): { readonly width: number; readonly height: number } {
  const { width, height, canvasWidth, canvasHeight } = canvas;
  return width <= canvasWidth && height <= canvasHeight
    ? { width, height }
    : { width: canvasWidth, height: canvasHeight };
}

/** The profile's size; a canvas of another aspect ratio keeps it, inside that size, since OBS would distort the picture. */
function sizeIn(profile: LiveProfile, canvas: Canvas): { readonly width: number; readonly height: number } {
  if (isWideScreen(canvas)) return { width: profile.width, height: profile.height };
  const scale = Math.min(profile.width / canvas.canvasWidth, profile.height / canvas.canvasHeight);
  return { width: even(canvas.canvasWidth * scale), height: even(canvas.canvasHeight * scale) };
}

const even = (pixels: number): number => Math.max(2, Math.round(pixels / 2) * 2);

function frameRateIn(profile: LiveProfile, canvas: FrameRate): FrameRate {
  return dividedRate(canvas, (profile.fps ?? HIGHEST_FPS) + FRAME_RATE.slackFps.value);
}

/** The highest rate up to `highest`. OBS can only divide the rate of the canvas: of 61 fps it sends 30.5. */
function dividedRate(canvas: FrameRate, highest: number): FrameRate {
  const divisor = Math.max(1, Math.ceil(fps(canvas) / highest));
  return { numerator: canvas.numerator, denominator: canvas.denominator * divisor };
}

/** `1280x720 at 30 fps, 2,750 kbps` */
export function describePlan({ width, height, frameRate, videoKbps }: EncoderPlan): string {
  return `${width}x${height} at ${Number(fps(frameRate).toFixed(2))} fps, ${videoKbps.toLocaleString('en-US')} kbps`;
}
