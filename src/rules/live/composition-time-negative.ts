/** 6226: pictures are not shown before they are decoded. */
import { FLAW_COMPOSITION } from '../../facts/analysis-facts.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const compositionTimeNegative: LiveRule = {
  entry: analysisEntry({
    code: 6226,
    type: 'COMPOSITION_TIME_NEGATIVE',
    severity: 'warning',
    title: 'Negative composition time',
    passes: 'Composition times',
    row: 'timing',
    clause: 'FLV E.4.3.1',
    raisedWhen: 'The composition time of a coded frame is negative: the presentation time is before the decode time.',
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the frame' },
    unit: 'ms',
    worst: 'lowest',
    sentence: 'A frame is presented {observed} relative to its decoding; the offset must be at least {limit}.',
  }),
  remedy: 'Let the encoder shift its decode times, not its presentation times.',
  ...flawOverTime(FLAW_COMPOSITION),
  observed: ({ analysis }) => analysis.compositionTimeMs,
  limit: () => 0,
};
