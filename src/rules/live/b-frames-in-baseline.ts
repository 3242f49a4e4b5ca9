/** 6228: the Baseline profile has no B slices. */
import { FLAW_B_IN_BASELINE } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawUntilKeyFrame } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

/** profile_idc of Baseline. */
const BASELINE_IDC = 66;

export const bFramesInBaseline: LiveRule = {
  entry: analysisEntry({
    code: 6228,
    type: 'B_FRAMES_IN_BASELINE',
    severity: 'warning',
    title: 'B-frames in the Baseline profile',
    passes: 'Slice types of the profile',
    row: 'bit-stream',
    clause: 'H.264 A.2.1',
    raisedWhen: 'A picture contains a B slice, and the SPS declares the Baseline profile (profile_idc 66).',
    clears: CLEARS.threeKeyFrames,
    delay: { ms: 0, text: 'with the picture' },
    sentence: 'The stream declares Baseline and contains {observed}; Baseline allows {limit}.',
  }),
  remedy: 'Choose the Main or High profile, or turn B-frames off.',
  ...flawUntilKeyFrame(FLAW_B_IN_BASELINE),
  observed: () => 'B slices',
  passing: ({ video }) => (video.profileIdc === BASELINE_IDC ? 'I and P slices' : 'not Baseline'),
  limit: () => 'I and P slices',
};
