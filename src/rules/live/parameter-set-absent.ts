/** 6219: slices refer to parameter sets that were received. */
import { FLAW_SET_ABSENT } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const parameterSetAbsent: LiveRule = {
  entry: analysisEntry({
    code: 6219,
    type: 'PARAMETER_SET_ABSENT',
    severity: 'warning',
    title: 'Parameter set is missing',
    passes: 'Parameter sets present',
    row: 'bit-stream',
    clause: 'H.264 7.4.1.2.1',
    raisedWhen:
      'A slice refers to a picture or sequence parameter set that was not received in this connection. Unused sets are no fault.',
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the picture' },
    sentence: 'A picture refers to {observed}; {limit} must be sent first.',
  }),
  remedy:
    'Send SPS and PPS in the sequence header or before each IDR; check bitstream filters and restart the encoder.',
  ...flawOverTime(FLAW_SET_ABSENT),
  observed: () => 'a parameter set that was not received',
  passing: () => 'received',
  limit: () => 'its SPS and PPS',
};
