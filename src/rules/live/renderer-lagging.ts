/** 6906: the encoder reports that it renders frames too late. */
import { PERFORMANCE } from '../../facts/measures/events.js';
import { CAUSES } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { isShare } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const rendererLagging: LiveRule = {
  entry: analysisEntry({
    code: 6906,
    type: 'RENDERER_LAGGING',
    severity: 'warning',
    title: 'Encoder renders frames too late',
    passes: 'Frames rendered in time',
    row: 'cause',
    explains: [],
    clause: ADVICE,
    raisedWhen: `The encoder reports that more than 2 % of the frames of ${seconds(CAUSES.windowMs.value)} were rendered too late.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 4_000, text: 'after the first late frame: with the second key frame' },
    unit: '%',
    worst: 'highest',
    sentence: 'The encoder renders {observed} of the frames too late; up to {limit} is tolerated.',
  }),
  remedy:
    'Lower the load of the graphics card: fewer or simpler sources, a lower frame rate, no other program that uses it.',
  events: PERFORMANCE,
  check: ({ reported }) => isShare(reported.lagged),
  observed: ({ reported }) => reported.lagged * 100,
  limit: () => CAUSES.share.value * 100,
};
