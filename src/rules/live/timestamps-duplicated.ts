/** 6411: each frame has a timestamp of its own. */
import { FLAW_DUPLICATE } from '../../facts/analysis-facts.js';
import { BEAT } from '../../facts/measures/events.js';
import { ANALYSIS } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const timestampsDuplicated: LiveRule = {
  entry: analysisEntry({
    code: 6411,
    type: 'TIMESTAMPS_DUPLICATED',
    severity: 'warning',
    title: 'Equal timestamps',
    passes: 'Distinct timestamps',
    row: 'timing',
    clause: ADVICE,
    raisedWhen: `${ANALYSIS.duplicates.value} frames within ${seconds(ANALYSIS.windowMs.value)} have the presentation time of another frame of their track. Fields of one frame are no fault.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the third frame, once it is shown' },
    worst: 'highest',
    counts: 'frames',
    sentence:
      '{observed} {track} frames so far have the presentation time of another frame; {limit} within 10 s are tolerated.',
  }),
  remedy: 'Check the capture source and its frame rate, and restart the encoder.',
  ...flawOverTime(FLAW_DUPLICATE, BEAT),
  observed: ({ analysis }) => analysis.duplicates,
  limit: () => ANALYSIS.duplicates.value - 1,
  placeholders: ({ analysis }) => ({ track: analysis.track }),
};
