/** 6907: the encoder had no media to send for a time. */
import { SECOND } from '../../facts/measures/events.js';
import { ADVICE, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { isCause } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const sourcePaused: LiveRule = {
  entry: analysisEntry({
    code: 6907,
    type: 'SOURCE_PAUSED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Source was paused',
    passes: 'Source without pauses',
    row: 'cause',
    explains: ['TIMESTAMP_DISORDER', 'STREAM_STARVED', 'VIDEO_MISSING', 'AUDIO_MISSING'],
    clause: ADVICE,
    raisedWhen: 'Nothing arrives for more than 2 s, and the timestamps jump by that time: there is no media of it.',
    clears: CLEARS.insideWindow,
    delay: { ms: 1_100, text: 'after data flows again' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The source was paused for {observed}; up to {limit} is tolerated.',
  }),
  remedy: 'Keep the encoder and its capture device running; check the power settings of its machine.',
  events: SECOND,
  check: (facts) => isCause(facts, 'paused'),
  observed: ({ delivery }) => delivery.gap.lengthMs,
  limit: () => 2000,
};
