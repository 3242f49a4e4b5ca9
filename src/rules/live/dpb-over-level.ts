/** 6222: the decoded picture buffer fits the declared level. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { VideoFacts } from '../../facts/video/video-facts.js';
import { AT_HEADER, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

/** Frames that the stream needs a decoder to hold; NaN while unknown. */
function needed({ parameterSet }: VideoFacts): number {
  if (parameterSet === undefined) return Number.NaN;
  const declared = parameterSet.vui?.bitstreamRestriction?.maxDecFrameBuffering ?? 0;
  return Math.max(parameterSet.maxNumRefFrames, declared);
}

/** Frames that the level provides; NaN for an unknown level. A frame that is too large for its level is 6203. */
function provided({ parameterSet }: VideoFacts): number {
  return parameterSet?.maxDpbFrames ?? Number.NaN;
}

export const dpbOverLevel: LiveRule = {
  entry: analysisEntry({
    code: 6222,
    type: 'DPB_OVER_LEVEL',
    severity: 'warning',
    title: 'More reference frames than the level allows',
    passes: 'Reference frames within the level',
    row: 'bit-stream',
    clause: 'H.264 A.3.1',
    raisedWhen:
      'The max_num_ref_frames or max_dec_frame_buffering of the SPS is above what the declared level holds at this frame size (MaxDpbFrames).',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    worst: 'highest',
    counts: 'frames',
    sentence: 'The stream needs {observed} frames in the decoder; level {level} holds {limit} at this size.',
  }),
  remedy: 'Set fewer reference frames, or a higher level.',
  events: VIDEO_CONFIG,
  check({ video }) {
    const frames = needed(video);
    const limit = provided(video);
    if (Number.isNaN(frames) || Number.isNaN(limit)) return SKIP;
    return frames > limit ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => needed(video),
  limit: ({ video }) => provided(video),
  placeholders: ({ video }) => ({ level: video.parameterSet?.level ?? '' }),
};
