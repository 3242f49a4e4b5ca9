/** 6410: frames are evenly spaced. */
import { VIDEO_BEAT } from '../../facts/measures/events.js';
import { ANALYSIS, TIMING } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const timestampJitter: LiveRule = {
  entry: analysisEntry({
    code: 6410,
    type: 'TIMESTAMP_JITTER',
    severity: 'info',
    title: 'Uneven video timestamps',
    passes: 'Even video timestamps',
    row: 'timing',
    clause: ADVICE,
    raisedWhen: `For ${seconds(ANALYSIS.windowMs.value)}, more than 5 % of the intervals between presentation times differ from the median of ${seconds(ANALYSIS.windowMs.value)} by more than half of it. Dropped frames are 6408.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 2 * ANALYSIS.windowMs.value + 1_000, text: 'after the first uneven frame' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'Frame intervals differ by up to {observed} from the median of {median}; up to {limit} is regular.',
  }),
  remedy: 'Set a constant frame rate in the encoder and in the capture source.',
  events: VIDEO_BEAT,
  // A change to another steady rate is uneven for less than one window.
  raiseAfter: { holdMs: ANALYSIS.windowMs.value },
  check({ analysis: { intervals }, video }) {
    if (Number.isNaN(intervals.jitterMs) || video.rate.missingRatio > TIMING.droppedRatio.value) return UNKNOWN;
    return intervals.jitterMs > intervals.medianMs * ANALYSIS.jitterFrames.value ? FAIL : PASS;
  },
  observed: ({ analysis }) => analysis.intervals.jitterMs,
  limit: ({ analysis }) => analysis.intervals.medianMs * ANALYSIS.jitterFrames.value,
  placeholders: ({ analysis }) => ({ median: `${analysis.intervals.medianMs} ms` }),
};
