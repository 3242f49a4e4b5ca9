/**
 * Every number of the rules that the published document leaves open: slack, windows, how long a fault must last, when it
 * is over. Data with a reason each; printed by `airlock spec`, explained in docs/spec-gaps.md.
 */

export interface Chosen {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
}

function chosen(value: number, unit: string, why: string): Chosen {
  return { value, unit, why };
}

/** How media time and what moves in it is measured. */
export const MEASURES = {
  advanceCapMs: chosen(5_000, 'ms', 'A longer step of decode time is a jump of the clock, not media.'),
  beatMs: chosen(100, 'ms', 'Windows move in tenths of a second; every running check is at most this late.'),
  flowGapMs: chosen(2_000, 'ms', 'A track that is silent for longer has stopped flowing; back for as long, it flows.'),
} as const;

export const FRAME_RATE = {
  settleMs: chosen(3_000, 'ms', 'Enough frames to tell 30 from 60 with one-millisecond stamps and a rough start.'),
  settleFps: chosen(45, 'fps', 'Half way between the classes 30 and 60.'),
  leave30Fps: chosen(50, 'fps', 'A stream of the 30 class must be plainly faster to move.'),
  leave60Fps: chosen(40, 'fps', 'A stream of the 60 class must be plainly slower to move.'),
  leaveMs: chosen(10_000, 'ms', 'Short bursts and short overload do not change what the stream is.'),
  meanMs: chosen(5_000, 'ms', 'Long enough that stamps of whole milliseconds do not matter.'),
  maxFps: chosen(60.5, 'fps', 'The fastest profile is 60; half a frame covers rounding of the stamps.'),
  maxFpsAt30Only: chosen(30.5, 'fps', 'Sizes that are listed for 30 only.'),
  holdMs: chosen(5_000, 'ms', 'A burst after a stall is no frame rate.'),
} as const;

export const PICTURE = {
  maxWidth: chosen(1_920, 'pixels', 'The largest profile.'),
  maxHeight: chosen(1_088, 'pixels', '1080 lines are coded as 1088; some encoders leave the cropping out.'),
  sizeSlack: chosen(8, 'pixels', 'Sizes are rounded to macroblocks and halves: 852x480 and 854x480 are one profile.'),
  aspectWarning: chosen(0.01, 'ratio', '854x480 is 0.08 % and 852x480 0.16 % off 16:9; viewers do not see 1 %.'),
  aspectError: chosen(0.2, 'ratio', '4:3 is 25 % off, 16:10 is 10 %: "too far" begins between them.'),
  levelRateSlack: chosen(
    1.05,
    'factor',
    '1080p at 30.117 fps fills level 4.1; measured rates wander by a few percent.',
  ),
} as const;

export const KEY_FRAMES = {
  overdueMs: chosen(4_050, 'ms', '120 frames at 29.97 fps are 4,004 ms, and stamps are whole milliseconds.'),
  conformingToClear: chosen(3, 'key frames', 'One good interval among bad ones is chance.'),
  aboveRecommendedMs: chosen(2_100, 'ms', '2 s with rounding to whole frames at 24 fps.'),
  aboveRecommendedTimes: chosen(3, 'intervals', 'One long interval is a scene; three are a setting.'),
  tooFrequentPerSecond: chosen(2, 'key frames/s', 'More than two a second waste the bit rate on key frames.'),
  tooFrequentMs: chosen(5_000, 'ms', 'Scene cuts come in bursts.'),
} as const;

export const BIT_RATE = {
  windowMs: chosen(10_000, 'ms', 'Several key frames lie in it, so that their size averages out.'),
  longWindowMs: chosen(60_000, 'ms', 'A steady excess that hides below the slack of the short window.'),
  videoHighFactor: chosen(1.1, 'factor', 'A buffer of the encoder (VBV) lets it burst.'),
  videoHighHoldMs: chosen(3_000, 'ms', 'One large picture does not make a rate.'),
  videoHighLongFactor: chosen(1.05, 'factor', 'Over a minute the buffer evens out; containers and rounding remain.'),
  videoLowFactor: chosen(0.9, 'factor', 'Encoders undershoot their target by a few percent.'),
  videoLowHoldMs: chosen(10_000, 'ms', 'Still pictures need few bits for a while.'),
  audioHighFactor: chosen(1.05, 'factor', 'AAC at a constant rate varies from frame to frame.'),
  audioHighHoldMs: chosen(3_000, 'ms', 'One loud moment does not make a rate.'),
  audioPreferredFactor: chosen(1.1, 'factor', 'Encoders overshoot 128 kbps by some percent.'),
  audioPreferredHoldMs: chosen(10_000, 'ms', 'A preference is worth a word only when it is plainly passed.'),
} as const;

export const TIMING = {
  missingMs: chosen(5_000, 'ms', 'Encoders start one track late and pause one in silence, but not for this long.'),
  driftMs: chosen(1_000, 'ms', 'Sound and picture a second apart cannot be watched.'),
  driftHoldMs: chosen(5_000, 'ms', 'Tracks are sent in bursts.'),
  starvedRatio: chosen(0.9, 'ratio', 'Below this a player that has 3 s of buffer stalls within half a minute.'),
  starvedWindowMs: chosen(30_000, 'ms', 'Short stalls of a network catch up.'),
  silenceMs: chosen(5_000, 'ms', 'Nothing at all for this long stops every player.'),
  leadMs: chosen(10_000, 'ms', 'More is not a buffer being emptied: it is a file sent at full speed.'),
  leadBaselineMs: chosen(10_000, 'ms', 'What the encoder had buffered before it connected arrives in this time.'),
  droppedRatio: chosen(0.02, 'ratio', 'From two frames in a hundred on, motion is seen to stutter.'),
  droppedWindowMs: chosen(10_000, 'ms', 'One lost picture group shows, one lost frame does not.'),
} as const;

export const DURATION = {
  nearLimitMs: chosen(27_900_000, 'ms', '7 h 45 min: a quarter of an hour to come to an end.'),
} as const;

/** When a fault is over, and when it is the same fault again. */
export const CLEARING = {
  insideMs: chosen(10_000, 'ms', 'A mean inside its bound for as long as its window is inside.'),
  flowsMs: chosen(2_000, 'ms', 'A track that is back for this long is back.'),
  sameRecordMs: chosen(60_000, 'ms', 'Raised again so soon it is the same fault, counted once more.'),
  refreshMs: chosen(
    10_000,
    'ms',
    'A worse value or higher count of a record is written anew after this long; then twice as long each time.',
  ),
  refreshMaxMs: chosen(
    600_000,
    'ms',
    'The longest time between two such writings: a fault of 8 hours is written some fifty times.',
  ),
} as const;

export const ENFORCEMENT = {
  strictOpenMs: chosen(10_000, 'ms', 'Time to mend a fault before the broadcast is ended for it.'),
  strictSeenMs: chosen(5_000, 'ms', 'A fault that has not been seen for as long may be over.'),
} as const;

export const UPLOAD_SLACK = {
  aspect: chosen(0.01, 'ratio', '854x480 is a 16x9 picture.'),
  audioBitrateFactor: chosen(1.05, 'factor', 'Containers state mean rates of variable streams.'),
} as const;

/** All of them, in the order in which they are printed. */
export const TOLERANCES = {
  MEASURES,
  FRAME_RATE,
  PICTURE,
  KEY_FRAMES,
  BIT_RATE,
  TIMING,
  DURATION,
  CLEARING,
  ENFORCEMENT,
  UPLOAD_SLACK,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Chosen>>>>;
