/** 6229: pictures have few slices. */
import { FLAW_SLICES } from '../../facts/analysis-facts.js';
import { ANALYSIS } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const slicesMany: LiveRule = {
  entry: analysisEntry({
    code: 6229,
    type: 'SLICES_MANY',
    severity: 'info',
    title: 'Many slices in a picture',
    passes: 'Slices per picture',
    row: 'bit-stream',
    clause: ADVICE,
    raisedWhen: `A picture has more than ${ANALYSIS.slices.value} slices.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the picture' },
    worst: 'highest',
    counts: 'slices',
    sentence: 'A picture has {observed} slices; up to {limit} are usual.',
  }),
  remedy: 'Turn sliced threads off (x264: no zerolatency tune, or sliced-threads=0), or set fewer slices.',
  ...flawOverTime(FLAW_SLICES),
  observed: ({ analysis }) => analysis.slices,
  limit: () => ANALYSIS.slices.value,
};
