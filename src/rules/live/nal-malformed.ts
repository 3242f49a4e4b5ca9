/** 6221: NAL units are well-formed. */
import { FLAW_NAL_UNIT } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const nalMalformed: LiveRule = {
  entry: analysisEntry({
    code: 6221,
    type: 'NAL_MALFORMED',
    severity: 'warning',
    title: 'Damaged NAL units',
    passes: 'NAL units intact',
    row: 'bit-stream',
    clause: 'H.264 7.4.1',
    raisedWhen:
      'A NAL unit of a frame has a length of 0 or past the frame, a start code in place of the length or within it, forbidden_zero_bit set, type 0, or a reserved type. Nothing else is judged of such a frame.',
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the frame' },
    sentence: 'A frame contains {observed}; all must be {limit}.',
  }),
  remedy: 'Restart the encoder; check bitstream filters and relays between it and the server.',
  ...flawOverTime(FLAW_NAL_UNIT),
  observed: () => 'a damaged NAL unit',
  passing: () => 'well-formed',
  limit: () => 'well-formed',
};
