/** Every bound of processing an upload, with its reason. Work is counted in pixels: of each frame those that are decoded or, when more, those that are made. */
export const PROCESSING = {
  /** A day of 1080p30, or three hours of 2160p60: more than any event, and some 11 hours of work for two cores. */
  pixelsMax: 86_400 * 1920 * 1080 * 30,
  /** 8192 × 4320 (8K). A decoder holds up to 17 frames; larger ones fill the memory that a conversion may use. */
  framePixelsMax: 8192 * 4320,
  /** A frame has a cost of its own: many small frames are not nearly free. */
  framePixelsLeast: 20_000,
  /** Where the file names no length in time: a frame rate that few files exceed. */
  frameRateAssumed: 60,
  /** A picture that is shown for an hour is still work for players: no file counts for fewer frames a second. */
  frameRateLeast: 1,
  /** A second of sound, encoded, takes as long as so many pixels. */
  audioSecondPixels: 1_000_000,
  /** Up to here a conversion is short: some 3 s of one core (720p, 66 million pixels a second measured). */
  shortPixelsMax: 200_000_000,
  /** Time limit of a conversion: a start, and its work at a third of the speed of one core. */
  startMs: 120_000,
  pixelsPerSecond: 20_000_000,
  /** Time limit of a copy: a disk slower than that records no broadcast. */
  copyBytesPerSecond: 2_000_000,
  /** No conversion takes longer: the length of a file may be unknown, or wrong. */
  limitMaxMs: 24 * 3_600_000,
  /** Width of what is made at most, as the converter scales. */
  widthMade: 1920,
} as const;
