/** The row of the profile table for a picture. */
import { LIVE, type LiveProfile, shortName } from '../spec/live.js';
import { FRAME_RATE, PICTURE } from '../spec/tolerances.js';

/** Where OBS asks for its settings. */
export const GO_LIVE_PATH = '/obs/go-live';

export interface Picture {
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: number;
  /** The most that the network or the user allows for video. */
  readonly maxKbps?: number;
}

const PROFILES: readonly LiveProfile[] = LIVE.profiles;
const SLACK = PICTURE.sizeSlack.value;

/** The largest profile that exceeds neither the size, nor the frame rate, nor the bitrate; else the smallest one. */
export function profileFor(picture: Picture): LiveProfile {
  const { width, height, frameRate = 30, maxKbps = Number.POSITIVE_INFINITY } = picture;
  const isSizeKnown = width !== undefined || height !== undefined;
  const fits = PROFILES.filter(
    (row) =>
      row.width <= (width ?? Number.POSITIVE_INFINITY) + SLACK &&
      row.height <= (height ?? Number.POSITIVE_INFINITY) + SLACK &&
      (row.fps !== 60 || frameRate > FRAME_RATE.settleFps.value) &&
      row.videoBitrateKbps.min <= maxKbps,
  );
  const found = isSizeKnown ? fits[0] : (fits.find((row) => row.height === 720 && row.fps === 30) ?? fits[0]);
  return found ?? smallestProfile();
}

/** The row of this name: `1080p60` for `1080p at 60 FPS`. */
export function profileNamed(name: string): LiveProfile | undefined {
  return PROFILES.find((row) => shortName(row) === name);
}

/** The row of the next smaller size, at 30 fps where it has a class. */
export function nextSmaller({ height }: LiveProfile): LiveProfile | undefined {
  return PROFILES.filter((row) => row.height < height && row.fps !== 60).sort((a, b) => b.height - a.height)[0];
}

export const PROFILE_NAMES: readonly string[] = PROFILES.map(shortName);

/** The middle of the range. */
export function targetKbps({ videoBitrateKbps: { min, max } }: LiveProfile): number {
  return Math.round((min + max) / 2);
}

export function smallestProfile(): LiveProfile {
  return PROFILES.reduce((least, row) => (row.width * row.height < least.width * least.height ? row : least));
}
