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
