/** 6220: no reference picture is missing. */
import { FLAW_REFERENCE_LOST } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawUntilKeyFrame } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const referenceLost: LiveRule = {
  entry: analysisEntry({
    code: 6220,
    type: 'REFERENCE_LOST',
    severity: 'warning',
    title: 'Reference pictures are missing',
    passes: 'Reference pictures present',
    row: 'bit-stream',
    clause: 'H.264 7.4.3',
    raisedWhen:
      'The frame_num of slices skips one or more reference pictures, and the SPS does not allow gaps. Pictures that no other refers to may be left out, and counted: an encoder that gives each of them a number is not reported.',
    clears: CLEARS.threeKeyFrames,
    delay: { ms: 0, text: 'with the picture after the gap' },
    worst: 'highest',
    sentence: '{observed} reference pictures are missing: damaged until the next IDR; {limit} may be missing.',
  }),
  remedy: 'Find what removes packets between encoder and server: a filter, a relay or an overloaded encoder.',
  ...flawUntilKeyFrame(FLAW_REFERENCE_LOST),
  observed: ({ analysis }) => analysis.missingReferences,
  passing: () => 'none missing',
  limit: () => 0,
};
