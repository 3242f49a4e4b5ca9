/**
 * The numbers that the published document leaves open: tolerances, windows, hold times, clearing times. Each has its
 * reason; `airlock spec` prints them and docs/spec-gaps.md explains them.
 */

import { houseSpec } from './house.js';

export interface Tolerance {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
}

function tolerance(value: number, unit: string, why: string): Tolerance {
  return { value, unit, why };
}

/** The group with an operator's values over the chosen ones. */
function group<T extends Readonly<Record<string, Tolerance>>>(name: string, chosen: T): T {
  const over = houseSpec()?.tolerances[name];
  if (over === undefined) return chosen;
  const rows = Object.entries(chosen).map(([key, row]) => [key, { ...row, value: over[key] ?? row.value }]);
  return Object.fromEntries(rows) as T;
}

/** How media time and sliding windows are measured. */
export const MEASURES = group('MEASURES', {
  advanceCapMs: tolerance(5_000, 'ms', 'A longer step of decode time is a clock jump, not media.'),
  beatMs: tolerance(
    100,
    'ms',
    'Sliding windows advance in steps of 100 ms, so a continuous check is late by at most this much.',
  ),
  flowGapMs: tolerance(
    2_000,
    'ms',
    'A track without frames for longer has stopped; it flows again after frames for as long.',
  ),
  wholeFileMinMs: tolerance(
    1_000,
    'ms',
    'A shorter file is a few frames around one key frame: its mean is not a rate.',
  ),
  wholeFileMaxMs: tolerance(
    20_000,
    'ms',
    'The longest window and the longest hold after it: a shorter file is judged by its mean over the whole.',
  ),
});

export const FRAME_RATE = group('FRAME_RATE', {
  settleMs: tolerance(
    3_000,
    'ms',
    'Enough frames to tell 30 from 60 fps despite millisecond timestamps and an uneven start.',
  ),
  settleFps: tolerance(45, 'fps', 'Midway between the 30 and 60 fps classes.'),
  leave30Fps: tolerance(50, 'fps', 'Hysteresis: a stream of the 30 fps class must be clearly faster to change class.'),
  leave60Fps: tolerance(40, 'fps', 'Hysteresis: a stream of the 60 fps class must be clearly slower to change class.'),
  leaveMs: tolerance(10_000, 'ms', 'Short bursts and short overloads do not change the class.'),
  meanMs: tolerance(5_000, 'ms', 'Long enough to average out millisecond timestamps.'),
  slackFps: tolerance(0.5, 'fps', 'Half a frame above 30 or 60 fps covers the rounding of timestamps.'),
  holdMs: tolerance(5_000, 'ms', 'A burst after a stall is not a frame rate.'),
});

export const PICTURE = group('PICTURE', {
  codedMultiple: tolerance(16, 'pixels', '1080 lines are coded as 1088; some encoders omit the cropping.'),
  sizeSlack: tolerance(8, 'pixels', 'Encoders round sizes to macroblocks: 852x480 and 854x480 are one profile.'),
  aspectWarning: tolerance(0.01, 'ratio', '854x480 is 0.08 % and 852x480 0.16 % off 16:9; 1 % is not visible.'),
  aspectError: tolerance(
    0.2,
    'ratio',
    '4:3 is 25 % off and 16:10 is 10 % off; the bound for "too far" lies between them.',
  ),
  levelRateSlack: tolerance(
    1.05,
    'factor',
    '1080p at 30.117 fps fills level 4.1; measured rates vary by a few percent.',
  ),
});

export const KEY_FRAMES = group('KEY_FRAMES', {
  overdueSlackMs: tolerance(
    50,
    'ms',
    'Over the maximum: 120 frames at 29.97 fps are 4,004 ms, and timestamps are whole milliseconds.',
  ),
  conformingToClear: tolerance(3, 'key frames', 'A single conforming interval among long ones may be chance.'),
  recommendedSlackMs: tolerance(100, 'ms', 'Over the recommended interval: whole frames at 24 fps.'),
  aboveRecommendedTimes: tolerance(
    3,
    'intervals',
    'One long interval may depend on content; three in a row are a setting.',
  ),
  tooFrequentPerSecond: tolerance(2, 'key frames/s', 'More than two per second waste bitrate on key frames.'),
  tooFrequentMs: tolerance(5_000, 'ms', 'Scene cuts come in short bursts.'),
  tracksApartMs: tolerance(
    20,
    'ms',
    'Half a frame at 25 fps: key frames of several tracks at different pictures are at least a frame apart.',
  ),
});

export const BITRATE = group('BITRATE', {
  windowMs: tolerance(10_000, 'ms', 'Spans several key frames, so that their size averages out.'),
  longWindowMs: tolerance(60_000, 'ms', 'Detects a steady excess within the tolerance of the short window.'),
  videoHighFactor: tolerance(1.1, 'factor', 'The encoder buffer (VBV) permits bursts.'),
  videoHighHoldMs: tolerance(3_000, 'ms', 'A single large picture is not a rate.'),
  videoHighLongFactor: tolerance(
    1.05,
    'factor',
    'Buffer bursts average out over a minute; container overhead and rounding remain.',
  ),
  videoLowFactor: tolerance(0.9, 'factor', 'Encoders undershoot their target by a few percent.'),
  videoLowHoldMs: tolerance(10_000, 'ms', 'Static content needs few bits for a while.'),
  audioHighFactor: tolerance(1.05, 'factor', 'Constant-bitrate AAC varies from frame to frame.'),
  audioHighHoldMs: tolerance(3_000, 'ms', 'A single complex passage is not a rate.'),
  audioPreferredFactor: tolerance(1.1, 'factor', 'Encoders overshoot 128 kbps by a few percent.'),
  audioPreferredHoldMs: tolerance(10_000, 'ms', 'A preference is worth a warning only when it is clearly exceeded.'),
});

export const TIMING = group('TIMING', {
  missingMs: tolerance(
    5_000,
    'ms',
    'Encoders start a track late or pause audio during silence, but not for this long.',
  ),
  driftMs: tolerance(1_000, 'ms', 'Audio and video one second apart are unwatchable.'),
  driftHoldMs: tolerance(5_000, 'ms', 'Encoders send tracks in bursts.'),
  starvedRatio: tolerance(0.9, 'ratio', 'Below this, a player with 3 s of buffer stalls within 30 s.'),
  starvedWindowMs: tolerance(30_000, 'ms', 'The stream catches up after a short network stall.'),
  silenceMs: tolerance(5_000, 'ms', 'Every player stalls after this long without data.'),
  leadMs: tolerance(10_000, 'ms', 'A larger lead is not a drained buffer but a file sent at full speed.'),
  leadBaselineMs: tolerance(
    10_000,
    'ms',
    'Media buffered by the encoder before it connected arrives within this time.',
  ),
  droppedRatio: tolerance(0.02, 'ratio', 'Stutter is visible above two missing frames in a hundred.'),
  droppedWindowMs: tolerance(10_000, 'ms', 'A lost GOP exceeds the bound, a single lost frame does not.'),
});

export const DURATION = group('DURATION', {
  noticeMs: tolerance(900_000, 'ms', 'Leaves 15 minutes to finish.'),
});

/** Bounds beyond the published document. */
export const ANALYSIS = group('ANALYSIS', {
  windowMs: tolerance(10_000, 'ms', 'Isolated irregularities are not a fault of the encoder.'),
  duplicates: tolerance(3, 'frames', 'One or two equal timestamps come of rounding to milliseconds.'),
  underflows: tolerance(3, 'pictures', 'A single late picture may be a timestamp rounded down.'),
  underflowClearMs: tolerance(30_000, 'ms', 'A buffer that ran empty needs several key frames to prove itself.'),
  slices: tolerance(
    8,
    'slices',
    'Hardware decoders are built for few slices; encoders with sliced threads send up to 8.',
  ),
  audioStepMs: tolerance(5, 'ms', 'Timestamps are whole milliseconds, and some encoders count in steps of a few.'),
  audioDeviation: tolerance(
    0.05,
    'ratio',
    'Corrections of a clock are rare; a wrong sample rate shows in every frame.',
  ),
  jitterFrames: tolerance(0.5, 'frames', 'Beyond half a frame, pictures change places.'),
  interleaveMs: tolerance(1_000, 'ms', 'Players buffer about a second before they wait for the other track.'),
  interleaveHoldMs: tolerance(5_000, 'ms', 'The start and a short stall are not a habit.'),
});

/** Causes: why a stream got worse. A cause is named only when the measurements agree. */
export const CAUSES = group('CAUSES', {
  windowMs: tolerance(10_000, 'ms', 'Ten seconds tell a trend from a burst, and name a cause within fifteen.'),
  doubtMs: tolerance(200, 'ms', 'A server that reads this late cannot tell a late stream from its own delay.'),
  serverLateMs: tolerance(2_000, 'ms', 'Players buffer about three seconds: a shorter delay does not show.'),
  ratio: tolerance(0.97, 'ratio', 'Clocks differ by 0.01 %, and key frames shift a window by less than 3 %.'),
  growthMs: tolerance(300, 'ms', 'What a ratio of 0.97 makes of ten seconds.'),
  growingSeconds: tolerance(7, 'seconds', 'Of ten; a lag that falls in between comes of a queue that is emptied.'),
  sizePaced: tolerance(0.5, 'ratio', 'On a full link, time is taken in proportion to bytes.'),
  queueLagMs: tolerance(500, 'ms', 'Encoders drop frames when their queue holds 700 ms.'),
  noLagMs: tolerance(300, 'ms', 'No queue: the frames were lost before sending.'),
  stepRatio: tolerance(0.75, 'ratio', 'Encoders lower their bitrate in larger steps; content varies by less.'),
  qpRise: tolerance(2, 'QP', 'Simple content lowers the rate without coarser quantization.'),
  share: tolerance(0.02, 'ratio', 'The bound for missing frames.'),
  targetFactor: tolerance(0.8, 'factor', 'A bitrate that leaves a fifth of the uplink free survives its variations.'),
});

/** Silence and other sound that viewers would not expect. */
export const DEAD_AIR = group('DEAD_AIR', {
  silentLufs: tolerance(-60, 'LUFS', 'Below the noise of a quiet room at any usual gain.'),
  silentMs: tolerance(10_000, 'ms', 'Pauses between songs and speakers are shorter.'),
  soundsMs: tolerance(1_000, 'ms', 'A click is not sound.'),
  quietLufs: tolerance(-45, 'LUFS', 'About 20 LU below any delivery target.'),
  quietClearsLufs: tolerance(-42, 'LUFS', 'Hysteresis, so that a level at the bound is one record.'),
  quietMs: tolerance(30_000, 'ms', 'Quiet passages of music are shorter.'),
  quietClearMs: tolerance(5_000, 'ms', 'A single loud word does not mean that the gain was raised.'),
  channelMs: tolerance(10_000, 'ms', 'A solo panned to one side ends.'),
  oppositeDb: tolerance(20, 'dB', 'Wide stereo effects keep more than a hundredth of their power in the middle.'),
  oppositeMs: tolerance(10_000, 'ms', 'Effects pass.'),
  loudnessLu: tolerance(3, 'LU', 'The walk is within 1 LU of a decoder; productions aim at 1 or 2 LU.'),
  loudnessClearsLu: tolerance(2, 'LU', 'Hysteresis, as above.'),
  stuckFrames: tolerance(20, 'frames', 'A tone repeats at most a few frames, unless its period divides a frame.'),
});

/** A picture that does not change, or is black. Bits are those of a picture's slices for each macroblock. */
export const DEAD_PICTURE = {
  frozenMs: tolerance(10_000, 'ms', 'Titles and slides of a lively broadcast are shorter.'),
  movesMs: tolerance(2_000, 'ms', 'A single frame is not motion.'),
  blackMs: tolerance(5_000, 'ms', 'Fades and cuts to black are shorter.'),
  stillBits: tolerance(0.2, 'bits', 'Still pictures of x264 and openh264 have 0.02 to 0.09, moving ones 5 or more.'),
  stillComplexity: tolerance(
    2.2,
    'bits',
    'Times 2^((QP-26)/6): stills that are refined mostly have up to 1.6, others 2.3.',
  ),
  flatBitsCabac: tolerance(2, 'bits', 'A key frame in black has 0.75 to 1.2, color bars 8.'),
  flatBitsCavlc: tolerance(8, 'bits', 'The same without CABAC: 6.2 and 13.'),
  changeBits: tolerance(0.5, 'bits', 'One inter picture: flat stills have up to 0.2, a change of color 0.8 to 9.'),
  sameSize: tolerance(0.05, 'ratio', 'Key frames of an unchanged picture at an unchanged QP.'),
  blackLevel: tolerance(25.5, 'of 255', 'A tenth, as in the detector of FFmpeg.'),
  blackShare: tolerance(0.98, 'ratio', 'Of all pixels, as in the detector of FFmpeg.'),
  darkCorner: tolerance(40, 'of 255', 'Luma as coded, in which a tenth of full brightness is 38.'),
  samples: tolerance(10, 'key frames', 'Dark corners come and go: so many are looked at without delay.'),
  sampleMs: tolerance(4_000, 'ms', 'Less than a black picture lasts before it is reported.'),
  sampleStepMs: tolerance(60_000, 'ms', 'A picture with a dark corner costs one decoded key frame a minute.'),
  sameDifference: tolerance(
    0.3,
    'of 255',
    'Mean over 160x90 pixels: refined stills differ by up to 0.4, then by less; motion by 2.',
  ),
  compareMs: tolerance(6_000, 'ms', 'Slow motion moves in this time.'),
  decodeMs: tolerance(1_000, 'ms', 'One key frame of each group of pictures, at some 80 ms of processor time.'),
  decodeShare: tolerance(0.1, 'ratio', 'A picture that was long the same is decoded less often.'),
  decodeMaxMs: tolerance(60_000, 'ms', 'Eight hours of a still picture are decoded 480 times.'),
  retryMs: tolerance(10_000, 'ms', 'A key frame that cannot be decoded is rarely followed by one that can.'),
} as const;

/** Captions and time codes. */
export const CAPTIONS = group('CAPTIONS', {
  paddingMs: tolerance(60_000, 'ms', 'Pauses between speakers, and most songs without text, are shorter.'),
  absentMs: tolerance(10_000, 'ms', 'An encoder that captions every picture does not pause; a restart is shorter.'),
  constantShare: tolerance(0.9, 'ratio', 'Encoders that send captions only with text leave most pictures without.'),
  timecodeJumps: tolerance(3, 'jumps', 'A cut between sources changes the time code once.'),
  timecodeWindowMs: tolerance(60_000, 'ms', 'Jumps further apart are cuts.'),
  timecodeFrames: tolerance(1, 'frames', 'Timestamps and time codes are rounded differently.'),
});

/** When a fault clears, and when a recurrence is the same record. */
export const CLEARING = group('CLEARING', {
  insideMs: tolerance(10_000, 'ms', 'As long as the averaging window of most rates.'),
  flowsMs: tolerance(2_000, 'ms', 'Frames for this long count as flow, not as a stray burst.'),
  sameRecordMs: tolerance(60_000, 'ms', 'A recurrence within this time increments the count of the same record.'),
  refreshMs: tolerance(
    10_000,
    'ms',
    'First interval between writes of a changed value or a higher count; it doubles with each write.',
  ),
  refreshMaxMs: tolerance(
    60_000,
    'ms',
    'Longest interval between such writes: what is read of an open record is a minute old at most.',
  ),
});

export const ENFORCEMENT = group('ENFORCEMENT', {
  strictOpenMs: tolerance(10_000, 'ms', 'Time to fix a fault before it ends the broadcast.'),
  strictSeenMs: tolerance(5_000, 'ms', 'A fault not observed for this long may be over.'),
});

export const UPLOAD_SLACK = group('UPLOAD_SLACK', {
  aspect: tolerance(0.01, 'ratio', '854x480 counts as 16x9.'),
  audioBitrateFactor: tolerance(1.05, 'factor', 'Containers state the mean bitrate of variable streams.'),
});

/** All groups, in print order. */
export const TOLERANCES = {
  MEASURES,
  FRAME_RATE,
  PICTURE,
  KEY_FRAMES,
  BITRATE,
  TIMING,
  DURATION,
  ANALYSIS,
  CAUSES,
  DEAD_AIR,
  DEAD_PICTURE,
  CAPTIONS,
  CLEARING,
  ENFORCEMENT,
  UPLOAD_SLACK,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Tolerance>>>>;
