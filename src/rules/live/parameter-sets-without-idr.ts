/** 6218: the sequence parameter set changes at an IDR only. */
import { FLAW_SET_REPLACED } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawUntilKeyFrame } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const parameterSetsWithoutIdr: LiveRule = {
  entry: analysisEntry({
    code: 6218,
    type: 'PARAMETER_SETS_WITHOUT_IDR',
    severity: 'warning',
    title: 'Parameter set changed without an IDR',
    passes: 'Parameter sets change with an IDR',
    row: 'bit-stream',
    clause: 'H.264 7.4.1.2.1',
    raisedWhen:
      'The sequence parameter set is replaced by another one, and the next picture is not an IDR. Repeated sets are no change.',
    clears: CLEARS.threeKeyFrames,
    delay: { ms: 0, text: 'with the picture' },
    sentence: 'The sequence parameter set changed before {observed}; it may only change before {limit}.',
  }),
  remedy: 'Restart the encoder after changing its settings.',
  ...flawUntilKeyFrame(FLAW_SET_REPLACED),
  observed: () => 'a picture that is not an IDR',
  passing: () => 'only at an IDR',
  limit: () => 'an IDR',
};
