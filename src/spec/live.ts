/**
 * The published live broadcast specification, row by row (docs/spec.md). Unpublished numbers (tolerances, windows, clearing
 * times) are in `tolerances.ts`.
 */

import { type HouseProfile, houseSpec, overlaid } from './house.js';

export interface LiveProfile extends HouseProfile {
  /** `undefined` where the row names no frame rate. */
  readonly fps: 30 | 60 | undefined;
}

/** `1080p60`, `360p` */
export function shortName({ height, fps }: LiveProfile): string {
  return `${height}p${fps ?? ''}`;
}

export interface LiveSpecification {
  readonly effectiveFrom: string;
  readonly tracks: readonly string[];
  readonly duration: { readonly maxHours: number; readonly maxMs: number };
  readonly protocol: string;
  readonly keyFrameInterval: { readonly recommendedMs: number; readonly maxMs: number };
  readonly aspectRatio: { readonly width: number; readonly height: number };
  readonly videoCodec: {
    readonly name: string;
    /** FourCCs. */
    readonly allowed: readonly string[];
    readonly maxLevelTimes10: { readonly 30: number; readonly 60: number };
  };
  readonly profiles: readonly LiveProfile[];
  readonly audio: {
    readonly codec: string;
    readonly allowed: readonly string[];
    readonly sampleRatesHz: readonly number[];
    readonly bitrateKbps: { readonly preferred: number; readonly max: number };
    readonly channels: number;
    /** Delivery target of the loudness; the published document names none. */
    readonly loudnessLufs?: number | undefined;
  };
}

function profile(
  name: string,
  width: number,
  height: number,
  fps: 30 | 60 | undefined,
  [min, max]: readonly [number, number],
): LiveProfile {
  return { name, width, height, fps, videoBitrateKbps: { min, max } };
}

export const PUBLISHED_LIVE: LiveSpecification = {
  /** The rules for live broadcasts apply from this date. */
  effectiveFrom: '2024-06-10',
  /** Rule 1: both audio and video. */
  tracks: ['audio', 'video'],
  /** Rule 2. */
  duration: { maxHours: 8, maxMs: 28_800_000 },
  protocol: 'RTMPS',
  keyFrameInterval: { recommendedMs: 2_000, maxMs: 4_000 },
  /** The document says "pixel aspect ratio" but means the display aspect ratio (docs/spec-gaps.md). */
  aspectRatio: { width: 16, height: 9 },
  videoCodec: {
    name: 'H.264',
    allowed: ['avc1'],
    /** Ten times the highest level, by frame-rate class: "up to 1080p at 30 FPS" and "1080p at 60 FPS". */
    maxLevelTimes10: { 30: 41, 60: 42 },
  },
  profiles: [
    //       name                width height fps        kbps
    profile('1080p at 60 FPS', 1920, 1080, 60, [4_500, 9_000]),
    profile('1080p at 30 FPS', 1920, 1080, 30, [3_000, 6_000]),
    profile('720p at 60 FPS', 1280, 720, 60, [2_250, 6_000]),
    profile('720p at 30 FPS', 1280, 720, 30, [1_500, 4_000]),
    profile('480p at 30 FPS', 854, 480, 30, [600, 2_000]),
    profile('360p', 640, 360, undefined, [400, 1_000]),
  ],
  audio: {
    codec: 'AAC low complexity',
    allowed: ['mp4a'],
    sampleRatesHz: [44_100, 48_000],
    bitrateKbps: { preferred: 128, max: 256 },
    channels: 2,
  },
};

/** The numbers in force: an operator's over the published ones. */
export const LIVE: LiveSpecification = inForce(houseSpec()?.live);

function inForce(over: object | undefined): LiveSpecification {
  const live = overlaid(PUBLISHED_LIVE, over);
  if (live === PUBLISHED_LIVE) return live;
  // Readers take the first profile that fits for the largest. JSON leaves out what is undefined.
  const profiles = live.profiles
    .map((row) => ({ ...row, fps: row.fps }))
    .sort((a, b) => b.width * b.height - a.width * a.height || (b.fps ?? 0) - (a.fps ?? 0));
  return { ...live, profiles };
}

/** The largest sizes of the table on each axis. */
export const LARGEST = {
  width: Math.max(...LIVE.profiles.map(({ width }) => width)),
  height: Math.max(...LIVE.profiles.map(({ height }) => height)),
} as const;

/** The highest class of the table. A row without a frame rate allows both. */
export const HIGHEST_FPS: 30 | 60 = LIVE.profiles.every(({ fps }) => fps === 30) ? 30 : 60;
