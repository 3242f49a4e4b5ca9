/** Settings of the video encoder for one request: size, frame rate and bitrate, from the specification's data. */
import { HIGHEST_FPS, LIVE, type LiveProfile } from '../spec/live.js';
import { FRAME_RATE, PICTURE } from '../spec/tolerances.js';
import { nextSmaller, profileFor, profileNamed, targetKbps } from './profile-choice.js';
import { type Canvas, type FrameRate, fps, type GoLiveRequest } from './request.js';

/** The operator's settings for this live video. */
export interface EncoderWishes {
  /** Short name of a profile: `720p30`. */
  readonly profile?: string;
  readonly videoKbps?: number;
  /** Further video tracks, each smaller than the one before. */
  readonly isMultitrack?: boolean;
}

/** Facts of the encoder's last broadcast. */
export interface LastBroadcast {
  /** The video bitrate that its uplink carries; undefined: it carried all that was sent. */
  readonly uplinkVideoKbps?: number;
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

/** A quarter of the least bitrate of the smallest profile: below it, 360p is not recognizable. */
export const LEAST_VIDEO_KBPS = Math.min(...LIVE.profiles.map(({ videoBitrateKbps: { min } }) => min)) / 4;

const ASPECT = LIVE.aspectRatio.width / LIVE.aspectRatio.height;

/** By track; the first is the main one. */
export function plansFor(
  request: GoLiveRequest,
  wishes: EncoderWishes = {},
  last: LastBroadcast = {},
): readonly [EncoderPlan, ...EncoderPlan[]] {
  const main = planFor(request, wishes, last);
  const second = wishes.isMultitrack === true ? secondPlan(request, main, last) : undefined;
  return second === undefined ? [main] : [main, second];
}

/**
 * A second track in the next smaller size at 30 fps, as far as the bandwidth that the first track leaves allows. It has half
 * the rate of the first track: key frames of both stay at the same pictures.
 */
function secondPlan(request: GoLiveRequest, main: EncoderPlan, last: LastBroadcast): EncoderPlan | undefined {
  const { canvas, maxVideoTracks = 2 } = request;
  const leftKbps = maxVideoKbps(request, main.audioKbps, last) - main.videoKbps;
  const profile = nextSmaller(main.profile);
  if (maxVideoTracks < 2 || profile === undefined || leftKbps < profile.videoBitrateKbps.min) return undefined;
  return {
    ...main,
    profile,
    ...sizeIn(profile, canvas),
    frameRate: frameRateIn({ ...profile, fps: 30 }, canvas.frameRate),
    videoKbps: Math.floor(Math.min(targetKbps(profile), leftKbps)),
  };
}

/** Kbps for all video tracks together. */
function maxVideoKbps(
  { maxAggregateKbps = Number.POSITIVE_INFINITY }: GoLiveRequest,
  audioKbps: number,
  { uplinkVideoKbps = Number.POSITIVE_INFINITY }: LastBroadcast,
): number {
  return Math.min(Math.max(0, maxAggregateKbps - audioKbps), uplinkVideoKbps);
}

export function planFor(request: GoLiveRequest, wishes: EncoderWishes = {}, last: LastBroadcast = {}): EncoderPlan {
  const { canvas } = request;
  const audioKbps = LIVE.audio.bitrateKbps.preferred;
  const maxKbps = maxVideoKbps(request, audioKbps, last);
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
    // Not above what the user allows, even if that is below the smallest range: the dialog says so.
    videoKbps: Math.max(LEAST_VIDEO_KBPS, Math.floor(Math.min(wanted, maxKbps))),
    audioKbps,
    keyFrameIntervalS: LIVE.keyFrameInterval.recommendedMs / 1000,
    bFrames: 2,
  };
}

/** Relative deviation of the canvas from 16:9. */
function aspectDeviation({ canvasWidth, canvasHeight }: Canvas): number {
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
