/** Measurement windows for live streams, taken from the tolerances. */
import type { Measures } from '../facts/measures/measures.js';
import {
  ANALYSIS,
  BITRATE,
  CAPTIONS,
  CAUSES,
  DEAD_PICTURE,
  FRAME_RATE,
  KEY_FRAMES,
  MEASURES,
  TIMING,
} from '../spec/tolerances.js';

export const LIVE_MEASURES: Measures = {
  advanceCapMs: MEASURES.advanceCapMs.value,
  beatMs: MEASURES.beatMs.value,
  flowGapMs: MEASURES.flowGapMs.value,
  frameRate: {
    settleMs: FRAME_RATE.settleMs.value,
    settleFps: FRAME_RATE.settleFps.value,
    leave30Fps: FRAME_RATE.leave30Fps.value,
    leave60Fps: FRAME_RATE.leave60Fps.value,
    leaveMs: FRAME_RATE.leaveMs.value,
    meanMs: FRAME_RATE.meanMs.value,
    droppedWindowMs: TIMING.droppedWindowMs.value,
  },
  keyFrameWindowMs: KEY_FRAMES.tooFrequentMs.value,
  tracksApartMs: KEY_FRAMES.tracksApartMs.value,
  bitrateWindowMs: BITRATE.windowMs.value,
  bitrateLongWindowMs: BITRATE.longWindowMs.value,
  starvedWindowMs: TIMING.starvedWindowMs.value,
  leadBaselineMs: TIMING.leadBaselineMs.value,
  wholeFile: { minMs: MEASURES.wholeFileMinMs.value, maxMs: MEASURES.wholeFileMaxMs.value },
  ownDelayMs: CAUSES.doubtMs.value,
  analysis: {
    windowMs: ANALYSIS.windowMs.value,
    duplicates: ANALYSIS.duplicates.value,
    underflows: ANALYSIS.underflows.value,
    slices: ANALYSIS.slices.value,
    audioStepMs: ANALYSIS.audioStepMs.value,
    picture: {
      stillBits: DEAD_PICTURE.stillBits.value,
      stillComplexity: DEAD_PICTURE.stillComplexity.value,
      flatBitsCabac: DEAD_PICTURE.flatBitsCabac.value,
      flatBitsCavlc: DEAD_PICTURE.flatBitsCavlc.value,
      sameSize: DEAD_PICTURE.sameSize.value,
      blackLevel: DEAD_PICTURE.blackLevel.value,
      blackShare: DEAD_PICTURE.blackShare.value,
      sameDifference: DEAD_PICTURE.sameDifference.value,
      compareMs: DEAD_PICTURE.compareMs.value,
      retryMs: DEAD_PICTURE.retryMs.value,
    },
  },
  data: {
    captions: {
      paddingMs: CAPTIONS.paddingMs.value,
      absentMs: CAPTIONS.absentMs.value,
      constantShare: CAPTIONS.constantShare.value,
    },
    timecode: {
      jumps: CAPTIONS.timecodeJumps.value,
      windowMs: CAPTIONS.timecodeWindowMs.value,
      frames: CAPTIONS.timecodeFrames.value,
    },
  },
};
