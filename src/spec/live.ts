/**
 * The published live broadcast specification, row by row (docs/spec.md). Unpublished numbers (tolerances, windows, clearing
 * times) are in `tolerances.ts`.
 */

export interface LiveProfile {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** `undefined` where the row names no frame rate. */
  readonly fps: 30 | 60 | undefined;
  readonly videoBitrateKbps: { readonly min: number; readonly max: number };
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

export const LIVE = {
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
    sampleRatesHz: [44_100, 48_000],
    bitrateKbps: { preferred: 128, max: 256 },
    channels: 2,
  },
} as const satisfies {
  readonly effectiveFrom: string;
  readonly profiles: readonly LiveProfile[];
  readonly [row: string]: unknown;
};
